// Command least measures with how little the runtimes of servers start: for each of run's limits the lowest value with
// which a small server answers initialize in the sandbox. The table in init/runtimes comes from it.
//
//	go run ./scripts/least [-programs DIR] [-only LIMIT,…] [-grant DIR] [-times N] NAME[=PROGRAM]…
//
// A NAME begins with node, python, java, go, deno, bun or npx and says which server is started:
// node20=/opt/node20/bin/node. The programs of the tree are built, or taken from -programs, which must be readable for
// the server's user. A value counts if each of N launches answers. Below it a server ends or hangs: a hang is no answer
// within 6 s, or 20 times the plain start on a slow machine. Whether memory and processes are limited by a control
// group or by setrlimit(2) depends on the machine, and the table says which. In a machine that has control groups:
//
//	go build -o bin/ ./scripts/kernels ./scripts/least
//	bin/kernels exec -kernel 6.12 -uid 1000 -place delegated bin/least -programs DIR node
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func main() {
	programs := flag.String("programs", "", "folder with the tree's programs; without it they are built")
	only := flag.String("only", "", "limits to measure, such as memory,pids; without it all")
	grant := flag.String("grant", "", "one more folder that the server may read: that of a node for npx")
	times := flag.Int("times", 3, "launches that have to answer")
	flag.Parse()
	if err := run(*programs, *only, *grant, *times, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "least:", err)
		os.Exit(1)
	}
}

func run(programs, only, grant string, times int, names []string) error {
	tree, err := testbed.Root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mcp-sandbox-least-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if programs == "" {
		programs = dir
		err = build(tree, dir)
	} else {
		programs, err = filepath.Abs(programs)
	}
	if err != nil {
		return err
	}
	fmt.Println("runtime\tversion\tlimit\theld by\tleast\tbelow")
	for _, name := range names {
		r, err := newRuntime(name, tree, programs, dir)
		if err != nil {
			return err
		}
		if grant != "" {
			r.grants = append(r.grants, grant)
		}
		if err := measure(r, only, times); err != nil {
			return err
		}
	}
	return nil
}

// measure prints a line for each limit.
func measure(r *runtime, only string, times int) error {
	plain := r.repeat(limit{}, 0, 2) // the first one reads the files from the disk
	if plain.outcome != answers {
		return fmt.Errorf("%s without limits: %s\n%s", r.name, plain.outcome, plain.said)
	}
	r.patience = max(6*time.Second, 20*plain.took)
	for _, l := range limits {
		if only != "" && !slices.Contains(strings.Split(only, ","), l.flag) {
			continue
		}
		found := l.search(func(n int64) trial { return r.repeat(l, n, times) })
		fmt.Printf("%s\t%s\t--%s\t%s\t%s\t%s\n", r.name, r.version, l.flag, found.heldBy, l.least(found), found.below())
	}
	return nil
}
