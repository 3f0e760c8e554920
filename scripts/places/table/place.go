package table

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/reach"
)

// Compare says every difference between what a place came to and what was expected.
func (p *Place) Compare(a *Account) []string {
	if a.Problem != "" {
		return []string{"no account: " + a.Problem}
	}
	if p.Own != "" {
		return p.own(a)
	}
	all := p.doctor(&a.Doctor, a.Code)
	if wrong := p.launch("probe", &a.Probe); wrong != nil { // and the servers come to the same
		return append(all, wrong...)
	}
	if got := results(a.Outside); got != "true true" {
		all = append(all, "the probe without a sandbox: "+got)
	}
	if got := results(a.Inside); got != p.inside() {
		all = append(all, "the probe in one: "+got)
	}
	if p.Want != "" { // else a list refuses no less
		all = append(all, p.reach(&a.Reach)...)
	}
	if len(a.Sessions) != len(Servers()) {
		all = append(all, fmt.Sprintf("%d sessions", len(a.Sessions)))
	}
	for i := range a.Sessions {
		all = append(all, p.session(&a.Sessions[i])...)
	}
	return all
}

// reach must come to a confinement that holds a list and then to all that the list opens, or be refused with the
// place's cause.
func (p *Place) reach(f *reach.Found) []string {
	want, refused := "", cmp.Or(p.Listed, "allowedDomains")
	if c := cmp.Or(p.Listed, string(p.Want)); policy.Confinement(c).Holds(policy.Reduced) {
		want, refused = c, ""
	}
	if f.Confinement != want {
		return []string{fmt.Sprintf("with a list: reached %q, want %q: %s", f.Confinement, want, f.Refused)}
	}
	if !strings.Contains(f.Refused, refused) {
		return []string{fmt.Sprintf("with a list: the refusal does not say %q: %s", refused, f.Refused)}
	}
	var all []string
	for _, wrong := range f.Wrong {
		all = append(all, "with a list: "+wrong)
	}
	return all
}

// starts reports whether a server of level standard starts there.
func (p *Place) starts() bool { return p.Want == policy.Full || p.Want == policy.Reduced }

// inside is the probe's expected result: granted files are read, and in limits, which has no barrier, the secret too.
func (p *Place) inside() string {
	switch {
	case p.starts():
		return "true false"
	case p.Want != "":
		return "true true"
	}
	return ""
}

// own is a Pod's own command. Whether it was confined says its policy, or its log.
func (p *Place) own(a *Account) []string {
	if len(a.Sessions) != 1 {
		return []string{fmt.Sprintf("%d sessions", len(a.Sessions))}
	}
	if s := &a.Sessions[0]; s.Error != "" || s.Tools == 0 || s.Confinement != "" && s.Confinement != string(p.Want) {
		return []string{fmt.Sprintf("%d tools, %s, %s: %s", s.Tools, s.Confinement, s.Error, s.Stderr)}
	}
	return nil
}

// results are the attempts' results, as words.
func results(attempts []attempt.Result) string {
	var words []string
	for _, one := range attempts {
		words = append(words, fmt.Sprint(one.OK))
	}
	return strings.Join(words, " ")
}

// doctor must name the confinement that is reached, and the cause where one is expected.
func (p *Place) doctor(m *launcher.Machine, code int) (all []string) {
	exit := 1 // no server of level standard can start
	if p.starts() {
		exit = 0
	}
	if code != exit || p.Want != "" && m.Confinement != p.Want {
		all = append(all, fmt.Sprintf("doctor says %q and exits with %d", m.Confinement, code))
	}
	named := p.Doctor == "" || slices.ContainsFunc(m.Checks, func(c launcher.Check) bool {
		return strings.Contains(c.Detail, p.Doctor) || strings.Contains(c.Fix, p.Doctor)
	})
	if !named {
		all = append(all, fmt.Sprintf("doctor does not say %q:%s", p.Doctor, failed(m)))
	}
	return all
}

// failed are the checks of doctor that do not work.
func failed(m *launcher.Machine) string {
	var text strings.Builder
	for _, c := range m.Checks {
		if c.State != launcher.Works {
			fmt.Fprintf(&text, "\n\t[%s] %s: %s\n\t\tfix: %s", c.State, c.Name, c.Detail, c.Fix)
		}
	}
	return text.String()
}

func (p *Place) launch(name string, l *Launch) []string {
	if l.Confinement != string(p.Want) {
		return []string{fmt.Sprintf("%s: reached %q, want %q: %s%s", name, l.Confinement, p.Want, l.Refused, l.Stderr)}
	}
	if p.Want == "" && !strings.Contains(l.Refused, p.Refused) {
		return []string{fmt.Sprintf("%s: the refusal does not say %q: %s", name, p.Refused, l.Refused)}
	}
	if warnings := strings.Join(l.Warnings, "\n") + l.Stderr; !strings.Contains(warnings, p.Warns) {
		return []string{fmt.Sprintf("%s: no warning says %q: %q, %s", name, p.Warns, l.Warnings, l.Stderr)}
	}
	return nil
}

// session must go through where the launch does, unless the place itself breaks the server.
func (p *Place) session(s *Session) []string {
	all := p.launch(s.Server, &s.Launch)
	broken := slices.Contains(p.Broken, s.Server)
	switch {
	case p.Want == "":
	case broken && s.Error == "":
		all = append(all, s.Server+": answers, and is expected not to")
	case broken && s.Alone == "":
		all = append(all, fmt.Sprintf("%s: answers only without a sandbox: %s: %s", s.Server, s.Error, s.Stderr))
	case !broken && s.Error != "":
		all = append(all, fmt.Sprintf("%s: %s: %salone: %q", s.Server, s.Error, s.Stderr, s.Alone))
	}
	return all
}
