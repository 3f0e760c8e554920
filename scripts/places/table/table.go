package table

import (
	"bytes"
	_ "embed" // places.yaml
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Place is one in which servers are tried, and what is expected there.
type Place struct {
	Name string
	Args []string // an engine's flags, the lines of a unit's [Service], or changes of the Pod
	Down bool     // the unit's command is started by [MoveDown]
	Bare bool     // the image has neither /tmp nor /etc/passwd
	Own  string   // the name of a Pod that runs its own command, whose client is outside; "": a resident in mcp-server

	Min     policy.Confinement // what a launch asks for; "": as the policy has it
	Want    policy.Confinement // "": refused
	Warns   string             // part of the warnings, or of the lines on stderr; "": there may be any
	Doctor  string             // part of a detail or a fix of doctor's
	Refused string             // part of the refusal
	Broken  []string           // servers that do not run there without a sandbox either

	// What a launch with allowed domains comes to, where that is another: "full", or part of its refusal.
	Listed string
}

// The groups of places.
const (
	Docker, Podman, GVisor, Pod = "docker", "podman", "gvisor", "pod"
	Systemd                     = "systemd"
)

//go:embed places.yaml
var document []byte

// Places are those of a group.
func Places(group string) []Place { return groups()[group] }

var groups = sync.OnceValue(func() map[string][]Place {
	var file struct {
		Docker, Podman, GVisor, Pod, Systemd []Place
		Harmless                             []string
	}
	d := yaml.NewDecoder(bytes.NewReader(document))
	d.KnownFields(true)
	if err := d.Decode(&file); err != nil {
		panic(err) // the document is a part of the program
	}
	for i := range file.Systemd {
		if p := &file.Systemd[i]; p.Name == "" {
			p.Name = strings.Join(p.Args, " ")
		}
	}
	for _, line := range file.Harmless {
		file.Systemd = append(file.Systemd, Place{Name: line, Args: []string{line}, Want: policy.Full})
	}
	return map[string][]Place{
		Docker: file.Docker, Podman: file.Podman, GVisor: file.GVisor, Pod: file.Pod, Systemd: file.Systemd,
	}
})

// MoveDown is the prefix of a unit's command where systemd knows no DelegateSubgroup=: the host goes to a group
// below the unit's own. Then the unit's group holds no process and can be divided. docs/deployment.md has it.
const MoveDown = `g=/sys/fs/cgroup$$(sed -n s/^0:://p /proc/self/cgroup) && ` +
	`mkdir -p $$g/host && echo 0 >$$g/host/cgroup.procs && exec`

// Chosen are the places of a group whose names, after the group's and a slash, match.
func Chosen(group string, by *regexp.Regexp) (chosen []Place) {
	for _, p := range Places(group) {
		if by.MatchString(group + "/" + p.Name) {
			chosen = append(chosen, p)
		}
	}
	return chosen
}
