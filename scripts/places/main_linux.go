// Command places tries servers where docs/deployment.md says they run: in containers of Docker's and podman's own
// engines, in the containers of the document's Pods, and in units of systemd.
//
//	make test-places
//	go run ./scripts/places -only '^docker/a user$' -v
//
// Package table has the places and what is expected of each. The engines are Debian's packages, unpacked and not
// installed; they run in namespaces and a control group of their own. systemd runs in a virtual machine, by command
// kernels. It needs root on Debian 12, node, python3 and java. Exit status: 0 all as expected, 1 not, 2 something
// could not be tried.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
	"github.com/security-mcp/mcp-sandbox/scripts/stage"
)

func main() {
	if len(os.Args) == 7 && os.Args[1] == insideArg {
		stage.Main("places", tryAll)
	}
	stage.Main("places", run)
}

// An outcome is what came of a group's places.
type outcome struct {
	Versions string
	Accounts map[string]table.Account // by the places' names
}

func run(ctx context.Context) (int, error) {
	only := flag.String("only", "", "try only the places whose names this regular expression matches")
	verbose := flag.Bool("v", false, "print the account of each place, and what the machine prints")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return 0, err
	}
	b, err := newBench(ctx, *verbose)
	if err != nil {
		return 0, err
	}
	defer b.Remove()
	groups := []string{table.Docker, table.Pod, table.Podman, table.Systemd}
	if os.Getenv(runscEnv) != "" { // gVisor is no package of Debian's, so its runtime is the caller's
		groups = append(groups, table.GVisor)
	}
	var passed, failed, left int
	for _, group := range groups {
		places := table.Chosen(group, chosen)
		left += len(table.Places(group)) - len(places)
		if places == nil {
			continue
		}
		try := b.engine
		if group == table.Systemd {
			try = b.systemd
		}
		o, err := try(ctx, group, *only)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", group, err)
		}
		fmt.Printf("places: %s: %s\n", group, o.Versions)
		for i := range places {
			if o.print(group, &places[i], *verbose) {
				passed++
			} else {
				failed++
			}
		}
	}
	fmt.Printf("places: %d as expected, %d not, %d not asked for\n", passed, failed, left)
	if failed > 0 || passed == 0 {
		return 1, nil
	}
	return 0, nil
}

// print says how a place's account compares with what is expected, and returns whether it is that.
func (o *outcome) print(group string, p *table.Place, verbose bool) bool {
	a, ok := o.Accounts[p.Name]
	if !ok {
		a.Problem = "there is none"
	}
	if verbose {
		text, _ := json.Marshal(a) // it was read from JSON
		fmt.Printf("%s\n", text)
	}
	different := p.Compare(&a)
	mark, want := "ok", string(p.Want)
	if different != nil {
		mark = "FAILED"
	}
	if want == "" {
		want = "refused"
	}
	fmt.Printf("  %-7s %-8s %s/%s\n", mark, want, group, p.Name)
	for _, d := range different {
		fmt.Printf("\t%s\n", strings.ReplaceAll(strings.TrimSpace(d), "\n", "\n\t"))
	}
	return different == nil
}
