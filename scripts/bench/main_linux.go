// Command bench measures a launch: one run, every program in turn, in a new order each round.
//
//	go run ./scripts/bench [-n ROUNDS]
//	go run ./scripts/bench -egress [-n ROUNDS] [-before PROGRAM]
//	go run ./scripts/bench -packages [-n ROUNDS]
//	go run ./scripts/bench -serve [-n ROUNDS]
//
// It launches /bin/true alone, in the plainest C program with the same namespaces and mounts, in bubblewrap as a user
// writes its line, and with the same binds, directly and from a running Go host with 200 MB of heap, in
// mcp-sandbox-init with its report on a pipe, by mcp-sandbox run, and from three running Go hosts, one of them with 200
// MB of heap and one that links what servers of a cluster link; first back to back and then with the machine idle for
// 15 ms between two launches. It tells what the started process of a waiting sandbox takes, and how long the first and
// the last of 300 take that wait at once. Where user namespaces are forbidden it launches in mcp-sandbox-init, which
// tries full confinement first and has to go on with reduced, and from a Go host, which remembers that. Then, with few
// rounds, what -egress measures alone: streams, connections and look-ups of a server that reaches a host by name,
// beside the same client and server on loopback and behind the plainest relay in C; and launches with and without
// domains, and with another mcp-sandbox-init. Then what -serve measures alone: mcp-sandbox-serve beside the same server
// by its standard streams, and 200 sessions at once beside as many in a Go host. Last what -packages measures alone:
// servers that npx starts, from the store, from npm's cache, plain, and for the first time, until they answer. Times
// are wall-clock medians of one machine: only the ratios of one run say something. As root it measures as another user,
// because that is what people are.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func main() {
	reexec.Init()
	testbed.Machines()
	switch args := os.Args[1:]; {
	case len(args) == 3 && args[0] == hostArg:
		host(args[1], policy.Confinement(args[2]))
		return
	case len(args) > 1 && args[0] == clientArg:
		clientMain(args[1:])
		return
	case len(args) == 1 && args[0] == serverArg:
		peer(server)
	case len(args) == 3 && args[0] == worldArg:
		peer(func() error { return becomeWorld(args[1], args[2]) })
	case len(args) == 3 && args[0] == egressArg:
		peer(func() error { return streams(args[1], args[2]) })
		return
	case len(args) > 2 && args[0] == starterArg:
		fill(args[1])
		forEachLine(func() error { return exec.Command(args[2], args[3:]...).Run() })
		return
	case len(args) == 1 && args[0] == echoArg:
		peer(echoes)
		return
	case len(args) > 1 && args[0] == waiterArg:
		peer(func() error { return waiterMain(args[1:]) })
		return
	case len(args) == 2 && args[0] == launcherArg:
		forEachLine(byInit(func() *exec.Cmd { return exec.Command(args[1]) }, policy.Reduced))
		return
	}
	testbed.Nameless() // each home of -packages has a store
	rounds := flag.Int("n", 0, "rounds: 200, or of streams 20, or of packages 9")
	egress := flag.Bool("egress", false, "measure what reaches hosts by name, and nothing else")
	serve := flag.Bool("serve", false, "measure mcp-sandbox-serve, and nothing else")
	packages := flag.Bool("packages", false, "measure the starts of packages, and nothing else")
	before := flag.String("before", "", "an mcp-sandbox-init whose launches are measured beside, with -egress")
	flag.Parse()
	if err := run(*rounds, *egress, *packages, *serve, *before); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds int, egress, packages, serve bool, before string) error {
	b, err := prepare()
	if err != nil {
		return err
	}
	defer b.remove()
	if egress {
		return b.egress(cmp.Or(rounds, 20), before)
	}
	if packages {
		return b.packages(cmp.Or(rounds, 9))
	}
	if serve {
		return measureServe(b, cmp.Or(rounds, 50))
	}
	rounds = cmp.Or(rounds, 200)
	if err := buildLarge(b); err != nil {
		return err
	}
	variants, err := b.variants()
	if err != nil {
		return err
	}
	defer func() {
		for _, v := range variants {
			if v.close != nil {
				v.close()
			}
		}
	}()
	for _, pause := range pauses {
		if err := measure(variants, rounds, pause); err != nil {
			return err
		}
		print(variants, rounds, pause)
	}
	if err := b.waiting(b.lines()); err != nil {
		return err
	}
	if err := b.egress(5, before); err != nil {
		return err
	}
	if err := measureServe(b, 50); err != nil {
		return err
	}
	return b.packages(9)
}
