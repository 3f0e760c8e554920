package profile

import (
	"fmt"
	"strings"
)

// A Listing is the output of mcp-sandbox profile list --json.
type Listing struct {
	Profiles []Entry `json:"profiles"` // sorted by package
}

// An Entry is a profile in a few words.
type Entry struct {
	ID      string `json:"id"`      // the value of --profile
	Package string `json:"package"` // the same: each package has one profile
	// Hosts are entries of allowedDomains. "$ES_URL" is the host of that variable, in place of a default if there is
	// one.
	Hosts     []string `json:"hosts"`
	Env       []string `json:"env"`       // variables that are forwarded
	Arguments []string `json:"arguments"` // "0…: write", "--db: host", "$KUBECONFIG: read"
}

// List is the listing of all profiles.
func List() (Listing, error) {
	l := Listing{Profiles: []Entry{}}
	all, err := All()
	for _, p := range all {
		l.Profiles = append(l.Profiles, p.Entry())
	}
	return l, err
}

// Entry is the profile in a few words.
func (p *Profile) Entry() Entry {
	e := Entry{ID: p.Package, Package: p.Package, Hosts: append([]string{}, p.Policy.Network.AllowedDomains...),
		Env: append(append([]string{}, p.Required...), p.Optional...), Arguments: []string{}}
	for _, a := range p.Arguments {
		source := a.source()
		e.Arguments = append(e.Arguments, fmt.Sprintf("%s: %s", source, a.Grant))
		if a.Grant == Host && a.Default != "" {
			entries, _ := hostsOf(a.Default, a.Scheme, "") // a default that names no host fails a test of the documents
			add(&e.Hosts, entries...)
		}
		if a.Variable != "" && (a.Grant == Host || a.Key != "") {
			e.Hosts = append(e.Hosts, "$"+a.Variable)
		}
	}
	for _, name := range p.HostsFrom {
		e.Hosts = append(e.Hosts, "$"+name)
	}
	return e
}

// source names where the value comes from.
func (a *Argument) source() string {
	var all []string
	if a.Flag != "" {
		all = append(all, a.Flag)
	}
	if a.Position >= 0 {
		all = append(all, fmt.Sprint(a.Position))
	}
	if a.Rest {
		all[len(all)-1] += "…"
	}
	if a.Variable != "" {
		all = append(all, "$"+a.Variable)
	}
	return strings.Join(all, " or ")
}
