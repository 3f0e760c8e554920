package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/reach"
)

// account is one in which all is as place expects.
func account() *Account {
	a := &Account{UID: 1000, Probe: launched(), Reach: reach.Found{Confinement: "reduced"}, Outside: []attempt.Result{{OK: true}, {OK: true}}, Inside: []attempt.Result{{OK: true}, {}},
		Doctor: launcher.Machine{Confinement: policy.Reduced, Checks: []launcher.Check{{Name: "User namespaces", Detail: "refused: EPERM", Fix: "allow clone"}}}}
	for _, name := range Servers() {
		a.Sessions = append(a.Sessions, Session{Server: name, Launch: launched(), Tools: 2})
	}
	return a
}

func launched() Launch { return Launch{Confinement: "reduced", Warnings: []string{"no /proc"}} }

func place() *Place {
	return &Place{Name: "p", Want: policy.Reduced, Warns: "no /proc", Doctor: "allow clone"}
}

// Whatever differs from what is expected is found.
func TestCompare(t *testing.T) {
	if found := place().Compare(account()); found != nil {
		t.Fatal(found)
	}
	for name, change := range map[string]func(*Place, *Account){
		"no account":              func(_ *Place, a *Account) { a.Problem = "gone" },
		"doctor's confinement":    func(_ *Place, a *Account) { a.Doctor.Confinement = policy.Full },
		"doctor's exit status":    func(_ *Place, a *Account) { a.Code = 1 },
		"doctor's cause":          func(p *Place, _ *Account) { p.Doctor = "another" },
		"another confinement":     func(_ *Place, a *Account) { a.Probe.Confinement = "full" },
		"a session's confinement": func(_ *Place, a *Account) { a.Sessions[2].Confinement = "full" },
		"refused":                 func(_ *Place, a *Account) { a.Probe = Launch{Refused: "EACCES"} },
		"no warning":              func(_ *Place, a *Account) { a.Probe.Warnings = nil },
		"the secret is read":      func(_ *Place, a *Account) { a.Inside[1].OK = true },
		"the grant is not":        func(_ *Place, a *Account) { a.Inside[0].OK = false },
		"a list holds":            func(_ *Place, a *Account) { a.Reach = reach.Found{Confinement: "full"} },
		"a list does not hold":    func(p *Place, _ *Account) { p.Listed = "full" },
		"another refusal of it":   func(p *Place, a *Account) { p.Listed, a.Reach = "EPERM", reach.Found{Refused: "EACCES"} },
		"a list is refused":       func(p *Place, _ *Account) { p.Listed = "EPERM" },
		"a host is not reached": func(p *Place, a *Account) {
			p.Listed, a.Reach = "full", reach.Found{Confinement: "full", Wrong: []string{"x"}}
		},
		"the control":              func(_ *Place, a *Account) { a.Outside[1].OK = false },
		"a session is missing":     func(_ *Place, a *Account) { a.Sessions = a.Sessions[1:] },
		"a session fails":          func(_ *Place, a *Account) { a.Sessions[3].Error = "EOF" },
		"a broken server answers":  func(p *Place, _ *Account) { p.Broken = []string{"java"} },
		"it is not the place's":    func(p *Place, a *Account) { p.Broken, a.Sessions[3].Error = []string{"java"}, "EOF" },
		"it is refused, not so":    func(p *Place, _ *Account) { p.Want = "" },
		"another refusal":          func(p *Place, a *Account) { p.Want, p.Refused, a.Probe = "", "ENOSYS", Launch{Refused: "EACCES"} },
		"its own command, silence": func(p *Place, _ *Account) { p.Own = "mcp-server" },
	} {
		p, a := place(), account()
		if change(p, a); p.Compare(a) == nil {
			t.Errorf("%s: is not found", name)
		}
	}
}

// What is expected of the places can be told apart: no name is twice, and what is refused says by what.
func TestPlaces(t *testing.T) {
	for _, group := range []string{Docker, Podman, GVisor, Pod, Systemd} {
		places := Places(group)
		if len(places) == 0 {
			t.Errorf("%s: no place", group)
		}
		if one := Chosen(group, regexp.MustCompile("^"+group+"/"+regexp.QuoteMeta(places[0].Name)+"$")); len(one) != 1 {
			t.Errorf("%s: chosen are %v", group, one)
		}
		seen := map[string]bool{}
		for _, p := range places {
			if seen[p.Name] {
				t.Errorf("%s/%s: twice", group, p.Name)
			}
			if seen[p.Name] = true; (p.Want == "") != (p.Refused != "") {
				t.Errorf("%s/%s: %q is wanted, and refused is what says %q", group, p.Name, p.Want, p.Refused)
			}
		}
	}
}

// Accounts come through a console among lines of others; what was damaged there is an error.
func TestPrint(t *testing.T) {
	want := map[string]Account{"a": *account(), "b": {Problem: strings.Repeat("long ", 5000)}}
	for i := range 300 {
		want[fmt.Sprint(i)] = Account{UID: i * 7919}
	}
	var out bytes.Buffer
	if err := Print(&out, want); err != nil {
		t.Fatal(err)
	}
	console := "boot\n" + strings.Replace(out.String(), "\n"+Line, "\n[  OK  ] Finished.\n"+Line, 1)
	got, err := Read(console)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s\nwant %s", b, a)
	}
	last := strings.LastIndex(console, Line)
	for _, damaged := range []string{"", "boot\n", console[:last], strings.Replace(console, Line, Line+"A", 1)} {
		if got, err := Read(damaged); err == nil {
			t.Errorf("damaged, and read: %d accounts", len(got))
		}
	}
}

// The line with which docs/deployment.md has a host move itself is the one that is tried.
func TestMoveDownIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/deployment.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "ExecStart=/bin/sh -c '"+MoveDown+" /usr/local/bin/my-host'") {
		t.Error("docs/deployment.md has another line than MoveDown")
	}
}
