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
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// session tries one session whole, and then without each host. The result is what is wrong.
func (o *options) session(ctx context.Context, w *hostWorld, s *session) (problems []string) {
	whole, problems := o.start(ctx, w, s, nil)
	if whole == nil || whole.result == nil {
		return problems
	}
	for _, d := range whole.result.Denied {
		if !slices.ContainsFunc(s.refusals(), func(name string) bool { return isOf(d, name) }) {
			problems = append(problems, "denied: "+denial(d))
		}
	}
	for _, name := range s.Declined {
		if !slices.ContainsFunc(whole.result.Denied, func(d launcher.Denial) bool { return isOf(d, name) }) {
			problems = append(problems, "declined, but never asked for: "+name)
		}
	}
	for _, entry := range whole.policy.Network.AllowedDomains {
		if !whole.reached(entry) {
			problems = append(problems, "never connected: "+entry)
			continue
		}
		if !o.once && !o.deniedWithout(ctx, w, s, entry) {
			problems = append(problems, "without "+entry+" nothing of it was denied")
		}
	}
	switch {
	case len(whole.connected()) == 0 || s.inHome(): // whose differences are those of the file system
		return problems
	case os.Geteuid() == 0:
		fmt.Println("     not tried in reduced: start this program as an ordinary user")
		return problems
	}
	return append(problems, o.reduced(ctx, w, s, whole)...)
}

// reduced starts the server in confinement reduced, and says in what that start comes to something else.
func (o *options) reduced(ctx context.Context, w *hostWorld, s *session, whole *start) (problems []string) {
	st, wrong := o.start(ctx, w, s, func(st *start) {
		st.policy.MinConfinement, st.lacks = policy.Reduced, []testbed.Lack{testbed.NoClone}
	})
	if st == nil || st.result == nil {
		return append(problems, "in reduced: "+strings.Join(wrong, "; "))
	}
	is := func(what string, got, want []string) {
		set := func(all []string) []string { return slices.Compact(slices.Sorted(slices.Values(all))) }
		if got, want = set(got), set(want); !slices.Equal(got, want) {
			problems = append(problems, fmt.Sprintf("in reduced %s: %q, in full %q", what, got, want))
		}
	}
	is("tools", st.tools, whole.tools)
	is("connections", st.connected(), whole.connected())
	is("denials", st.denied(), whole.denied())
	return problems
}

// inHome reports whether the server needs files of the user's home: in reduced HOME is another folder.
func (s *session) inHome() bool {
	for name := range s.Files {
		if strings.HasPrefix(name, "../") {
			return true
		}
	}
	return false
}

// connected are the hosts that the server was connected to.
func (st *start) connected() (all []string) {
	for _, e := range st.result.Egress {
		if e.Connections > 0 {
			all = append(all, e.Host+":"+strconv.Itoa(int(e.Port)))
		}
	}
	slices.Sort(all)
	return all
}

// denied are the kinds and hosts of what was denied.
func (st *start) denied() (all []string) {
	for _, d := range st.result.Denied {
		all = append(all, string(d.Kind)+" "+d.Host)
	}
	slices.Sort(all)
	return all
}

// deniedWithout starts the server without a host, and reports whether it was denied that host. The start ends then.
func (o *options) deniedWithout(ctx context.Context, w *hostWorld, s *session, entry string) (denied bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	st, _ := o.start(ctx, w, s, func(st *start) {
		n := &st.policy.Network
		n.AllowedDomains = slices.DeleteFunc(slices.Clone(n.AllowedDomains), func(e string) bool { return e == entry })
		st.target.OnDenied = func(d launcher.Denial) {
			if covers(entry, d.Host, 0) {
				cancel()
			}
		}
	})
	return st != nil && st.result != nil &&
		slices.ContainsFunc(st.result.Denied, func(d launcher.Denial) bool { return covers(entry, d.Host, 0) })
}

// start starts the server once, as change has changed that start.
func (o *options) start(ctx context.Context, w *hostWorld, s *session, change func(*start)) (*start, []string) {
	w.names.forget()
	st, err := s.prepare(w)
	if err != nil {
		return nil, []string{err.Error()}
	}
	defer os.RemoveAll(strings.TrimSuffix(st.target.Dir, "/home/work"))
	w.now.Store(st.session)
	if change != nil {
		change(st)
	}
	problems, err := st.run(ctx)
	if err != nil {
		problems = append(problems, err.Error())
	}
	if o.verbose || len(problems) > 0 && change == nil {
		st.print()
	}
	return st, problems
}

// print prints what a start came to.
func (st *start) print() {
	fmt.Printf("--- %s %q\n%s", st.target.Path, st.target.Args, st.stderr.String())
	fmt.Printf("tools %q\n%s\n", st.tools, strings.Join(st.said, "\n"))
	if st.result == nil {
		return
	}
	fmt.Printf("connected %+v\n", st.result.Egress)
	for _, d := range st.result.Denied {
		fmt.Println("denied", denial(d))
	}
}

// isOf reports whether a record is about a name or an address, behind which the reason follows.
func isOf(d launcher.Denial, declined string) bool {
	name, _, _ := strings.Cut(declined, ": ")
	return d.Host == name || d.Host == "" && d.Address == name
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
