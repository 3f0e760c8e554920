package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// worldArg makes this program's namespaces the world, and egressArg makes it measure there:
//
//	-as-world|-as-egress FOLDER ROUNDS
const (
	worldArg  = "-as-world"
	egressArg = "-as-egress"
)

// An act is measured through each rig in turn.
type act struct {
	title, verb string
	many, size  int
}

// bulk is how many bytes an act of streams moves, all streams together.
const bulk = 128 << 20

var acts = []act{
	{"1 stream up MB/s", actUp, 1, bulk},
	{"8 up", actUp, 8, bulk / 8},
	{"1 stream down MB/s", actDown, 1, bulk},
	{"8 down", actDown, 8, bulk / 8},
	{"connection µs", actConnect, 50, 0},
	{"look-up µs", actLookup, 200, 0},
	{"getsockname µs", actName, 1000, 0},
}

// egress measures streams to a host outside, in namespaces of its own, and launches with hosts that are allowed.
func (b *bench) egress(rounds int, before string) error {
	cc := exec.Command("cc", "-O2", "-o", b.path("relay"), "testdata/relay/relay.c")
	if out, err := cc.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cc.Args, err, out)
	}
	runtime.LockOSThread() // whose end would be the child's
	defer runtime.UnlockOSThread()
	self := exec.Command("/proc/self/exe", worldArg, b.dir, strconv.Itoa(rounds))
	self.Stdout, self.Stderr = os.Stdout, os.Stderr
	self.SysProcAttr = world.Attributes()
	if err := self.Run(); err != nil {
		return fmt.Errorf("streams: %w", err)
	}
	return b.domains(10*rounds, before)
}

// becomeWorld ends this program only if that cannot be had.
func becomeWorld(dir, rounds string) error {
	return world.Become(dir, nil, []string{os.Args[0], egressArg, dir, rounds}, os.Environ())
}

// streams is the measurement in the world.
func streams(dir, rounds string) error {
	n, err := strconv.Atoi(rounds)
	if err != nil {
		return err
	}
	b := newBench(dir)
	port := strconv.Itoa(sitePort)
	relay := b.command("/bin/sh", "-c", `echo "<nil>"; exec "$@"`, "sh", b.path("relay"), relayAt, port, siteAt, port)
	for name, cmd := range map[string]*exec.Cmd{"server": b.command(b.path("host"), serverArg), "relay": relay} {
		p, err := begin(name, cmd)
		if err != nil {
			return err
		}
		defer func() {
			p.kill()
			p.end()
		}()
	}
	all, err := b.rigs()
	if err != nil {
		return err
	}
	defer func() {
		for _, r := range all {
			r.end()
		}
	}()
	load := load()
	for i := -1; i < n; i++ { // the first does not count
		for _, a := range acts {
			if err := a.measure(all, i >= 0); err != nil {
				return err
			}
		}
	}
	printEgress(all, n, load)
	return nil
}

// measure has each client make the act, in a new order each time.
func (a act) measure(all []*rig, counts bool) error {
	for _, k := range rand.Perm(len(all)) {
		r := all[k]
		if a.verb == actLookup && r.name == rigRelay {
			continue // the relay does not answer questions for names
		}
		took, err := r.ask(a.verb, a.many, a.size)
		if err != nil {
			return err
		}
		if counts {
			r.took[a.title] = append(r.took[a.title], took)
		}
	}
	return nil
}

// load is the machine's, of the last minute; proc_loadavg(5).
func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// domains measures launches with and without three domains, and those of another mcp-sandbox-init if there is one.
func (b *bench) domains(rounds int, before string) error {
	write := func(name, network string) (string, error) {
		path := b.path(name)
		return path, os.WriteFile(path, []byte(`{"version":1`+network+`}`), 0o644)
	}
	none, err := write("none.json", "")
	if err != nil {
		return err
	}
	three, err := write("three.json", `,"network":{"allowedDomains":["a.example.com","b.example.com","c.example.com"]}`)
	if err != nil {
		return err
	}
	launch := func(program, file string) func() error {
		return byInit(func() *exec.Cmd { return b.command(program, "--policy", file) }, policy.Full)
	}
	list := []*variant{
		{name: "no domains", launch: launch(b.path("mcp-sandbox-init"), none)},
		{name: "three domains", launch: launch(b.path("mcp-sandbox-init"), three)},
	}
	if before != "" {
		if err := rewrite(before, b.path("before")); err != nil {
			return err
		}
		unix.Sync()
		list = append(list, &variant{name: "no domains, " + before, launch: launch(b.path("before"), none)})
	}
	at := load()
	if err := measure(list, rounds, pauses[0]); err != nil {
		return err
	}
	ref := list[0].quantile(0.5)
	fmt.Printf("\n| launch of /bin/true, medians of %d, load %s to %s ", rounds, at, load())
	fmt.Println("| median ms | p10 | p90 | median more than without | wanted |")
	fmt.Println("|---|---|---|---|---|---|")
	for i, v := range list {
		m := v.quantile(0.5)
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %+.2f | %s |\n", v.name, m, v.quantile(0.1), v.quantile(0.9), m-ref,
			[]string{"", "at most 0.50", "at least -0.10"}[i])
	}
	return nil
}

// middle is the median of an act's times.
func (r *rig) middle(title string) (time.Duration, bool) {
	all := slices.Sorted(slices.Values(r.took[title]))
	if len(all) == 0 {
		return 0, false
	}
	return all[len(all)/2], true
}
