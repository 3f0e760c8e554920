package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
)

// A group is the places of one engine.
type group struct {
	name   string
	places func() []table.Place
	try    func(context.Context, *bench, *regexp.Regexp) (*told, error)
}

// told is what came of a group.
type told struct {
	Versions string
	Accounts map[string]table.Account // by the places' names
}

// groups are those that can be tried: gVisor is no package of Debian's, so its runtime is the caller's.
func groups() []group {
	all := []group{
		{"docker", table.Docker, engineGroup("docker")},
		{"pod", table.Pod, engineGroup("pod")},
		{"podman", table.Podman, engineGroup("podman")},
		{table.Systemd, table.Units, units},
	}
	if os.Getenv(runscEnv) != "" {
		all = append(all, group{gvisor, table.GVisor, engineGroup(gvisor)})
	}
	return all
}

// chosen reports whether a place of the group is asked for.
func (g *group) chosen(p *table.Place, by *regexp.Regexp) bool {
	return by.MatchString(g.name + "/" + p.Name)
}

func (g *group) any(by *regexp.Regexp) bool {
	for _, p := range g.places() {
		if g.chosen(&p, by) {
			return true
		}
	}
	return false
}

// A summary prints what came of the places and counts them.
type summary struct {
	verbose              bool
	passed, failed, left int
}

func (s *summary) group(g *group, by *regexp.Regexp, t *told) {
	fmt.Printf("places: %s: %s\n", g.name, t.Versions)
	for _, p := range g.places() {
		if !g.chosen(&p, by) {
			s.left++
			continue
		}
		a, ok := t.Accounts[p.Name]
		if !ok {
			a.Problem = "there is none"
		}
		s.place(g.name, &p, &a)
	}
}

func (s *summary) place(group string, p *table.Place, a *table.Account) {
	if s.verbose {
		text, _ := json.Marshal(a) // it was read from JSON
		fmt.Printf("%s\n", text)
	}
	different := p.Compare(a)
	want := string(p.Want)
	if want == "" {
		want = "refused"
	}
	mark := "ok     "
	if s.passed++; different != nil {
		s.passed--
		s.failed++
		mark = "FAILED "
	}
	fmt.Printf("  %s %-8s %s/%s\n", mark, want, group, p.Name)
	for _, d := range different {
		fmt.Printf("\t%s\n", strings.ReplaceAll(strings.TrimSpace(d), "\n", "\n\t"))
	}
}

func (s *summary) line() string {
	return fmt.Sprintf("%d as expected, %d not, %d not asked for", s.passed, s.failed, s.left)
}
