package applecontainer

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// machine is the part of "container inspect" that is compared.
type machine struct {
	Networks      []json.RawMessage `json:"networks"`
	Configuration *struct {
		Mounts []struct {
			Source      string   `json:"source"`
			Destination string   `json:"destination"`
			Options     []string `json:"options"`
		} `json:"mounts"`
		Networks []json.RawMessage `json:"networks"`
	} `json:"configuration"`
}

var errInspect = errors.New("container inspect: not what is known of its output")

// parse reads the tool's answer.
func parse(text []byte) (*machine, error) {
	var all []machine
	if err := json.Unmarshal(text, &all); err != nil || len(all) != 1 || all[0].Configuration == nil {
		return nil, errors.Join(errInspect, err)
	}
	return &all[0], nil
}

// mounts are the facts of layer root: each grant is there as it should be, and nothing else of the host.
func (m *machine) mounts(r *Request) ([]order.Fact, error) {
	grants, err := r.grants()
	if err != nil {
		return nil, err
	}
	got := map[string]string{}
	for _, b := range m.Configuration.Mounts {
		if !strings.HasPrefix(b.Source, "/") { // a tmpfs has no path
			continue
		}
		got[b.Source+" at "+b.Destination] = mode(!slices.Contains(b.Options, "ro") &&
			!slices.Contains(b.Options, "readonly"))
	}
	var facts []order.Fact
	for _, g := range grants {
		name := g.path + " at " + g.path
		facts = append(facts, order.Fact{Name: name, Want: mode(g.write), Got: cmp.Or(got[name], "not there")})
		delete(got, name)
	}
	others := strings.Join(slices.Sorted(maps.Keys(got)), ", ")
	return append(facts, order.Fact{Name: "other folders of the host", Want: "none", Got: cmp.Or(others, "none")}), nil
}

func mode(write bool) string {
	if write {
		return "read and write"
	}
	return "read"
}

// network is the fact of that layer: no network at all.
func (m *machine) network() order.Fact {
	f := order.Fact{Name: "networks", Want: "none", Got: "none"}
	if len(m.Networks)+len(m.Configuration.Networks) > 0 {
		f.Got = "some"
	}
	return f
}

// layers are all nine of the report. Nothing is read back inside the machine.
func (m *machine) layers(r *Request) ([]order.LayerReport, error) {
	mounts, err := m.mounts(r)
	if err != nil {
		return nil, err
	}
	var all []order.LayerReport
	for _, name := range order.Layers() {
		l := order.LayerReport{Layer: name, State: order.Absent,
			Reason: "it is the virtual machine's, in which nothing was read back",
			Effect: "what holds is what Apple's tool promises"}
		switch {
		case name == order.Root:
			l = order.LayerReport{Layer: name, State: order.Proved, Facts: mounts}
		case name == order.Network && r.Policy.Level == policy.LevelNetwork:
			l = order.LayerReport{Layer: name, State: order.Off}
		case name == order.Network:
			l = order.LayerReport{Layer: name, State: order.Proved, Facts: []order.Fact{m.network()}}
		}
		for _, f := range l.Facts {
			if f.Got != f.Want {
				return nil, &order.Refusal{Layer: name, Op: "prove", Path: f.Name,
					Err: errors.New("want " + f.Want + ", got " + f.Got)}
			}
		}
		all = append(all, l)
	}
	return all, nil
}
