// Package planpage says in a page what a launch would show its server, hand to it and let it reach.
//
//	v := planpage.New(ord, p, planned, proved)
//	v.Show(page.Printer{W: os.Stdout}) // for people
//	json.Marshal(v)                    // for programs
//
// Variables are named, and their values never said.
package planpage

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Preview is a launch before it is made.
type Preview struct {
	Command     []string      `json:"command"`
	File        string        `json:"file"` // of the command, as the server's process executes it
	Cwd         string        `json:"cwd"`
	Home        string        `json:"home"`
	User        string        `json:"user"`
	Level       policy.Level  `json:"level"`
	Confinement string        `json:"confinement"` // that was reached just now, without the server
	Sees        []order.Seen  `json:"sees"`
	Variables   []Variable    `json:"variables"`
	Network     []string      `json:"network"` // as in network.allowedDomains; "*" for all that the host reaches
	Limits      map[Key]Limit `json:"limits"`

	about
}

// about is what the page has besides.
type about struct {
	least   policy.Confinement
	unseen  string // the launcher's folder, where the server has another because it cannot see that one
	tmpSize int64
	several bool // it may start programs
	names   policy.Network
	remains []string

	Warnings []string `json:"warnings"` // what of the policy is wide or dangerous, and the trial launch's
}

// A Variable is the name of one that the launcher or the server has.
type Variable struct {
	Name  string `json:"name"`
	State State  `json:"state"`
}

// State is how a variable comes to the server, or not.
type State string

const (
	Forwarded State = "forwarded" // the launcher's
	Set       State = "set"       // by the policy, or by mcp-sandbox for the private folders
	Dropped   State = "dropped"   // the launcher's, and the server has none of that name
)

// New previews an order, of which p is the policy, by its plan and by the report of a trial launch.
func New(o *order.Order, p *policy.Policy, planned *order.Plan, proved *order.Enforced) *Preview {
	yes, _ := p.Subprocess.Allow.Value()
	v := &Preview{Command: o.Command, File: planned.Command, Cwd: planned.Cwd, Home: planned.Home, User: planned.User,
		Level: p.Level, Confinement: proved.Confinement, Sees: planned.Sees, Variables: variables(o, p, planned),
		Network: network(p, proved), Limits: limits(&p.Limits, proved),
		about: about{least: p.MinConfinement, tmpSize: planned.TmpSize, several: yes, names: p.Network,
			Warnings: append(append([]string{}, o.Opens...), proved.Warnings...)}}
	if p.Cwd == "" && planned.Cwd == planned.Home && o.Dir != planned.Home {
		v.unseen = o.Dir
	}
	for i := range proved.Layers {
		if l := &proved.Layers[i]; l.Effect != "" && l.Layer != order.Cgroup { // of which the limits say more
			v.remains = append(v.remains, string(l.Layer)+": "+l.Effect)
		}
	}
	return v
}

// variables are all names, each with its state, sorted.
func variables(o *order.Order, p *policy.Policy, planned *order.Plan) []Variable {
	all := []Variable{}
	given := order.Names(o.Env)
	for _, name := range planned.Variables {
		state := Forwarded
		literal := slices.ContainsFunc(p.Env, func(v policy.Variable) bool { return v.Name == name })
		if literal || !slices.Contains(given, name) {
			state = Set
		}
		all = append(all, Variable{name, state})
	}
	for _, name := range o.Dropped {
		if !slices.Contains(planned.Variables, name) {
			all = append(all, Variable{name, Dropped})
		}
	}
	return all
}
