// Command profiles starts the real server of each profile, from its package at a pinned version, and demands that the
// profile grants what that server needs and nothing else.
//
//	make test-profiles
//	go run ./scripts/profiles -v npm:@modelcontextprotocol/server-github
//
// The packages are installed by npm into .cache/profiles/NAME@VERSION, once, without install scripts; which registry is
// npm's configuration. Then this program runs in the world of scripts/testbed/world, which has no other network: its
// name server has an address for every name, and each address answers HTTP and HTTPS with 401, or with what the session
// says.
//
// A server is started by package launcher under its profile, in level standard and confinement full. It has to answer
// initialize, tools/list and the session's calls, without one denied record, and to connect to each host of the
// profile. Then it is started without each of the hosts in turn, and has to be denied that host.
//
// # Adding a server
//
// Three things to write, then `go run ./scripts/profiles -v npm:NAME`:
//
//   - profile/data/npm/NAME.json, the profile; package profile has its form
//   - scripts/profiles/sessions/npm/NAME.json, the session; type session has its form: the version, the arguments and
//     variables with dummy keys, and calls that reach every host of the profile
//   - nothing else: `go test ./profile ./scripts/profiles` looks for what is wrong in both
//
// The result of a call that a real host would have to answer is not looked at; "text" is what it has to hold where the
// server needs no host. A host to which the server sends telemetry is not in the profile but in the session's
// "declined". Packages of more than 300 MB have "heavy": true, and are tried with -heavy alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

func main() {
	reexec.Init()
	o := options{}
	flag.BoolVar(&o.verbose, "v", false, "print what the servers write, and what was connected")
	flag.BoolVar(&o.heavy, "heavy", false, "the packages that are left out otherwise, too")
	flag.BoolVar(&o.once, "once", false, "leave out the starts without one of the hosts")
	flag.BoolVar(&o.install, "install", false, "install only")
	flag.Parse()
	all, err := o.choose(flag.Args())
	if err == nil {
		err = installAll(all)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "profiles:", err)
		os.Exit(2)
	}
	if o.install {
		return
	}
	os.Exit(world.Tests(nil, func() int { return o.try(all) }))
}

// options are the flags.
type options struct{ verbose, heavy, once, install bool }

// choose finds the sessions of packages, or all that are asked for.
func (o *options) choose(ids []string) ([]*session, error) {
	all, err := sessions()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(s *session) bool { return s.Package == id }) {
			return nil, errors.New(id + " has no session: write npm:NAME")
		}
	}
	return slices.DeleteFunc(all, func(s *session) bool {
		if len(ids) > 0 {
			return !slices.Contains(ids, s.Package)
		}
		return s.Heavy && !o.heavy
	}), nil
}

// try tries each session, in the world, and returns the status to exit with.
func (o *options) try(all []*session) int {
	w, err := newWorld()
	if err != nil {
		fmt.Fprintln(os.Stderr, "profiles:", err)
		return 2
	}
	defer w.remove()
	failed := 0
	for _, s := range all {
		began := time.Now()
		problems := o.session(context.Background(), w, s)
		word := "ok  "
		if len(problems) > 0 {
			word = "FAIL"
			failed++
		}
		fmt.Printf("%s %s@%s (%.1f s)\n", word, s.Package, s.Version, time.Since(began).Seconds())
		for _, p := range problems {
			fmt.Println("    ", p)
		}
	}
	fmt.Printf("profiles: %d tried, %d failed\n", len(all), failed)
	return min(failed, 1)
}
