package egress_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	why "github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// A question is a host and port that an answer is compared for, with what an act outside finds there.
type question struct {
	host   string
	port   uint16
	leads  []netip.Addr // of a name
	nobody bool         // listens there: what fails outside too is no control
}

// whyWorld has hosts of every kind, each serving the same ports.
type whyWorld struct {
	names, addresses []string // that entries can have
	local            [2]string
	questions        []question
}

var whyPorts = [...]int{7, 80, 443, 8080}

func newWhyWorld(t *testing.T) *whyWorld {
	w := &whyWorld{}
	for _, text := range []string{"why.example.com", "a.why.example.com", "b.why.example.com", "c.b.why.example.com", "x.y.why.example.com", "other.example.net"} {
		s := newSite(t, text)
		w.serve(t, s.addresses())
		w.names = append(w.names, text)
		w.addresses = append(w.addresses, s.V4.String())
		w.ask(text, s.addresses())
	}
	w.ask("A.Why.Example.com.", w.questions[4].leads) // as its name in lower case
	for range 2 {
		s := &site{}
		s.V4, s.V6 = newAddresses(t)
		w.serve(t, s.addresses())
		for _, a := range s.addresses() {
			w.addresses = append(w.addresses, a.String())
			w.ask(a.String(), nil)
		}
	}
	private := []netip.Addr{netip.MustParseAddr("10.99.0.21"), netip.MustParseAddr("10.99.0.22")}
	w.serve(t, private)
	for i, a := range private {
		w.addresses = append(w.addresses, a.String())
		w.ask(a.String(), nil)
		w.resolves(t, fmt.Sprintf("private%d.why.example.com", i), a)
	}
	for i, to := range []string{"169.254.169.254", world.Machine4} {
		w.resolves(t, fmt.Sprintf("closed%d.why.example.com", i), netip.MustParseAddr(to))
		for i := range len(whyPorts) + 1 {
			w.questions[len(w.questions)-i-1].nobody = true
		}
	}
	for i := range w.local {
		w.local[i] = freePort(t)
		for _, host := range []string{"127.0.0.1", "::1"} {
			if host == "::1" && !world.HasIPv6() {
				continue
			}
			(&site{}).listen(t, net.JoinHostPort(host, w.local[i]), whoami("here"))
			w.questions = append(w.questions, question{host: host, port: uint16(must(t, w.local[i]))})
		}
		w.questions = append(w.questions, question{host: "localhost", port: uint16(must(t, w.local[i]))},
			question{host: "127.9.9.9", port: uint16(must(t, w.local[i])), nobody: true})
	}
	for _, host := range []string{"x.localhost", "nobody.example.org", "169.254.169.254", "240.0.0.1", world.Machine4, "1.2.3.4.5"} {
		w.questions = append(w.questions, question{host: host, port: 443, nobody: true})
	}
	return w
}

// serve has addresses serve the ports.
func (w *whyWorld) serve(t *testing.T, addresses []netip.Addr) {
	for _, a := range addresses {
		for _, port := range whyPorts {
			(&site{}).listen(t, netip.AddrPortFrom(a, uint16(port)).String(), whoami("here"))
		}
	}
}

// resolves makes a name that leads to one address.
func (w *whyWorld) resolves(t *testing.T, text string, to netip.Addr) {
	know(t, text, name{Addresses: []netip.Addr{to}, TTL: 60})
	w.names = append(w.names, text)
	w.ask(text, []netip.Addr{to})
}

// ask adds the questions about each port of a host, and about 80 and 443 together.
func (w *whyWorld) ask(host string, leads []netip.Addr) {
	for _, port := range append(whyPorts[:], 0) {
		w.questions = append(w.questions, question{host: host, port: uint16(port), leads: leads})
	}
}

// entries are so many of a random list.
func (w *whyWorld) entries(r *rand.Rand, n int) (all []string) {
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	for range n {
		host := pick(w.names)
		switch r.IntN(6) {
		case 0:
			host = "*." + pick([]string{"why.example.com", "b.why.example.com", "y.why.example.com"})
		case 1:
			if host = pick(w.addresses); strings.Contains(host, ":") {
				host = "[" + host + "]"
			}
		case 2:
			all = append(all, "localhost:"+w.local[r.IntN(2)])
			continue
		}
		if r.IntN(3) == 0 || strings.HasPrefix(host, "[") {
			host += ":" + strconv.Itoa(whyPorts[r.IntN(len(whyPorts))])
		}
		all = append(all, host)
	}
	return all
}

// acts are the acts of questions, one for each port.
func acts(questions []question) (all []string) {
	for _, q := range questions {
		for _, port := range q.ports() {
			all = append(all, act("banner", net.JoinHostPort(q.host, strconv.Itoa(port))))
		}
	}
	return all
}

func (q question) ports() []int {
	if q.port == 0 {
		return []int{80, 443}
	}
	return []int{int(q.port)}
}

// reached says of each question whether its acts went well.
func reached(questions []question, results []result) (all []bool) {
	for _, q := range questions {
		n := len(q.ports())
		all = append(all, !slices.ContainsFunc(results[:n], func(r result) bool { return r.Error != "" || r.Text != "220 here" }))
		results = results[n:]
	}
	return all
}

// whyMachine is what asked needs to know of the world.
func whyMachine(q question) why.Machine {
	return why.Machine{Own: []netip.Addr{netip.MustParseAddr(world.Machine4), netip.MustParseAddr(world.Machine6)}, Found: q.leads}
}
