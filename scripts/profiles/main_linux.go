// Command profiles starts the real server of each profile, from its package at a pinned version, and demands that the
// profile grants what that server needs and nothing else.
//
//	make test-profiles
//	go run ./scripts/profiles -v npm:@modelcontextprotocol/server-github
//
// The packages are installed as mcp-sandbox run does, into a store below .cache/profiles, from the registry of npm's
// configuration. Where CI is set each is removed when it was tried: together they have gigabytes. Each is tried by this
// program in a world of scripts/testbed/world, which has no other network: its name server has an address for
// every name, and each address answers HTTP and HTTPS with 401, or with what the session says.
//
// A server is started by package launcher under its profile, in level standard and confinement full. It has to answer
// initialize, tools/list and the session's calls, without one denied record, and to connect to each host of the
// profile. Then it is started without each of the hosts in turn, and has to be denied that host. At last one
// with hosts is started in confinement reduced, as on a machine without namespaces, and has to come to the same tools,
// connections and denials: not by root, whose server is another user there, and cannot enter the store.
//
// # Adding a server
//
// Three things to write, then `go run ./scripts/profiles -v npm:NAME`:
//
//   - profile/data/npm/NAME.json, the profile; package profile has its form
//   - scripts/profiles/sessions/npm/NAME.json, the session; type session has its form: the version, the arguments and
//     variables with dummy keys, and calls that reach every host of the profile
//   - nothing else: `go test ./launcher/packages/profile` looks for what is wrong in both
//
// A package of Go's is go:PACKAGE, and has its documents below go instead of npm.
//
// With -v the tools' names, the answers, the connections and the denials are printed: begin without calls and without
// hosts, and see what is denied. The result of a call that a real host would have to answer is not looked at; "text" is
// what it has to hold where the server needs no host.
//
// A host of telemetry is not in the profile. Where a variable of the product switches telemetry off, the profile has
// that variable in policy.env; else the host is in the session's "declined". A server that begins with a request whose
// answer it needs finds that answer in "answers": a text, JSON, or an MCP server. "node" is for a server that needs a
// newer Node than Debian's. Packages of more than 300 MB have "heavy": true, and are tried with -heavy alone. Redis and
// MySQL answer everything with OK; a connection to another database's port is accepted and ended.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/stage"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

func main() {
	testbed.Machines()
	reexec.Init()
	stage.Main("profiles", func(ctx context.Context) (int, error) {
		o := options{}
		flag.BoolVar(&o.verbose, "v", false, "print what the servers write, and what was connected")
		flag.BoolVar(&o.heavy, "heavy", false, "the packages that are left out otherwise, too")
		flag.BoolVar(&o.once, "once", false, "leave out the starts without one of the hosts")
		flag.BoolVar(&o.inside, "inside", false, "try one package that is installed; this program calls itself so")
		flag.Parse()
		chosen, err := o.choose(flag.Args())
		if err == nil {
			err = useCache()
		}
		if err != nil {
			return 0, err
		}
		if o.inside {
			return world.Tests(nil, func() int { return o.try(ctx, chosen[0]) }), nil
		}
		return o.each(ctx, chosen)
	})
}

// options are the flags.
type options struct{ verbose, heavy, once, inside bool }

// choose finds the sessions of packages, or all that are asked for.
func (o *options) choose(ids []string) ([]*session, error) {
	all, err := sessions()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(s *session) bool { return s.Package == id }) {
			return nil, errors.New(id + " has no session: write npm:NAME or go:PACKAGE")
		}
	}
	return slices.DeleteFunc(all, func(s *session) bool {
		if len(ids) > 0 {
			return !slices.Contains(ids, s.Package)
		}
		if s.Heavy && !o.heavy {
			fmt.Printf("left out %s@%s: heavy, tried with -heavy\n", s.Package, s.Version)
			return true
		}
		return false
	}), nil
}

// sideBySide is how many packages are installed and tried at once. 55 packages took 510 s of processor time with an
// empty store; an install waits for its registry besides, so there is one more than a small machine has processors.
const sideBySide = 3

// each installs and tries the packages, and returns the status to exit with.
func (o *options) each(ctx context.Context, all []*session) (int, error) {
	var failed atomic.Int32
	var workers sync.WaitGroup
	next := make(chan *session)
	for range sideBySide {
		workers.Go(func() {
			for s := range next {
				if err := o.one(ctx, s); err != nil && ctx.Err() == nil {
					fmt.Printf("FAIL %s@%s: %v\n", s.Package, s.Version, err)
					failed.Add(1)
				}
			}
		})
	}
	for _, s := range all {
		next <- s
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	fmt.Printf("profiles: %d tried, %d failed\n", len(all), failed.Load())
	return min(int(failed.Load()), 1), nil
}

// one installs and tries a package. Where CI is set, the package is removed then.
func (o *options) one(ctx context.Context, s *session) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := s.install(ctx)
	if err == nil {
		err = o.apart(ctx, s)
	}
	if os.Getenv("CI") != "" {
		err = errors.Join(err, s.uninstall())
	}
	return err
}

// apart has a process of its own try a package, and prints in one piece what that process says.
func (o *options) apart(ctx context.Context, s *session) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "-inside", fmt.Sprintf("-v=%t", o.verbose), fmt.Sprintf("-once=%t", o.once),
		s.Package)
	cmd.Cancel = func() error { return nil } // a signal goes to the whole group; who is late is killed
	cmd.WaitDelay = 20 * time.Second
	said, err := cmd.CombinedOutput()
	os.Stdout.Write(said)
	return err
}

// try tries a session, in its world, and returns the status to exit with.
func (o *options) try(ctx context.Context, s *session) int {
	w, err := newWorld()
	if err != nil {
		fmt.Fprintln(os.Stderr, "profiles:", err)
		return 2
	}
	defer w.remove()
	began := time.Now()
	problems := o.session(ctx, w, s)
	for _, p := range problems {
		fmt.Println("    ", p)
	}
	if len(problems) > 0 {
		return 1
	}
	fmt.Printf("ok   %s@%s (%.1f s)\n", s.Package, s.Version, time.Since(began).Seconds())
	return 0
}
