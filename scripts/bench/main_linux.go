// Command bench measures a launch: one run, every program in turn, in a new order each round.
//
//	go run ./scripts/bench [-n ROUNDS]
//
// It launches /bin/true alone, in the plainest C program with the same namespaces and mounts, in bubblewrap with the
// same binds, in mcp-sandbox-init with its report on a pipe, and from two running Go hosts, one of them with 200 MB
// of heap; and where user namespaces are forbidden in mcp-sandbox-init, which tries full confinement first and has to
// go on with reduced, and from a Go host, which remembers that. Last, what a server that renames without end costs
// the launcher. Times are wall-clock medians of one machine: only the ratios of one run say something. As root it
// measures as another user, because that is what people are.
package main

import (
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
	case len(args) > 1 && args[0] == renamerArg:
		renames(args[1:])
		return
	case len(args) == 2 && args[0] == launcherArg:
		forEachLine(byInit(func() *exec.Cmd { return exec.Command(args[1]) }, policy.Reduced))
		return
	}
	rounds := flag.Int("n", 200, "rounds")
	flag.Parse()
	if err := run(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds int) error {
	b, err := prepare()
	if err != nil {
		return err
	}
	defer b.remove()
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
	if err := measure(variants, rounds); err != nil {
		return err
	}
	print(variants, rounds)
	if err := b.resident(); err != nil {
		return err
	}
	return b.flood()
}
