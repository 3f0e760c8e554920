package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// session tries one session whole, and then without each host. The result is what is wrong.
func (o *options) session(ctx context.Context, w *hostWorld, s *session) (problems []string) {
	whole, problems := o.start(ctx, w, s, nil)
	if whole == nil || whole.result == nil {
		return problems
	}
	for _, d := range whole.result.Denied {
		if !slices.Contains(s.Declined, d.Host) {
			problems = append(problems, "denied: "+denial(d))
		}
	}
	for _, name := range s.Declined {
		if !slices.ContainsFunc(whole.result.Denied, func(d launcher.Denial) bool { return d.Host == name }) {
			problems = append(problems, "declined, but never asked for: "+name)
		}
	}
	hosts := whole.policy.Network.AllowedDomains
	for i, entry := range hosts {
		if !whole.reached(entry) {
			problems = append(problems, "never connected: "+entry)
			continue
		}
		if o.once {
			continue
		}
		less := func(p *policy.Policy) { p.Network.AllowedDomains = slices.Delete(slices.Clone(hosts), i, i+1) }
		without, _ := o.start(ctx, w, s, less)
		if without == nil || without.result == nil || !without.denied(entry) {
			problems = append(problems, "without "+entry+" nothing of it was denied")
		}
	}
	return problems
}

// start starts the server once, with a policy that less has changed.
func (o *options) start(ctx context.Context, w *hostWorld, s *session, less func(*policy.Policy)) (*start, []string) {
	w.names.forget()
	st, err := s.prepare(w)
	if err != nil {
		return nil, []string{err.Error()}
	}
	defer os.RemoveAll(strings.TrimSuffix(st.target.Dir, "/home/work"))
	w.now.Store(st.session)
	if less != nil {
		less(&st.policy)
	}
	problems, err := st.run(ctx)
	if err != nil {
		problems = append(problems, err.Error())
	}
	if o.verbose || len(problems) > 0 && less == nil {
		fmt.Printf("--- %s %q\n%s", st.target.Path, st.target.Args, st.stderr.String())
		if st.result != nil {
			fmt.Printf("connected %+v\n", st.result.Egress)
			for _, d := range st.result.Denied {
				fmt.Println("denied", denial(d))
			}
		}
	}
	return st, problems
}

// denial is a record in a line.
func denial(d launcher.Denial) string { return fmt.Sprintf("%+v", d) }

// reached reports whether the server was connected to what an entry names.
func (st *start) reached(entry string) bool {
	for _, e := range st.result.Egress {
		if e.Connections > 0 && covers(entry, e.Host, int(e.Port)) {
			return true
		}
	}
	return false
}

// denied reports whether the server was denied what an entry names.
func (st *start) denied(entry string) bool {
	return slices.ContainsFunc(st.result.Denied, func(d launcher.Denial) bool { return covers(entry, d.Host, 0) })
}

// covers reports whether an entry names a host and a port; 0 is any port.
func covers(entry, name string, port int) bool {
	host, own, err := net.SplitHostPort(entry)
	if err != nil {
		return false
	}
	if below, ok := strings.CutPrefix(host, "*"); ok && !strings.HasSuffix(name, below) || !ok && name != host {
		return false
	}
	return port == 0 || own == strconv.Itoa(port)
}
