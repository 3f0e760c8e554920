package order

import (
	"cmp"
	"strings"
)

// Stored is a launch's part in installed packages. No policy can ask for it: only the program that made the order.
type Stored struct {
	// Package is the package that the command belongs to; nil for none. The server sees the package's folder read-only.
	Package *PackageID
	// Profile is the id of the profile that was added to the policy; "" for none.
	Profile string
	// Stage is the absolute path of the one folder of the store that the server may write: of a launch that installs.
	// "" for none.
	Stage string
	// Leads are the paths of the policy that the profile looked at before the package was installed. A launch that is
	// led elsewhere is refused: another server may have exchanged a link or a folder on the way.
	Leads []Lead
}

// A Lead is a path of the policy, and the path without links that it led to.
type Lead struct{ Path, To string }

// Maker names the launch where a home that lasts is made for it: by the policy's file, by the profile, or by the first
// two words of the command.
func (o *Order) Maker() string {
	return cmp.Or(o.PolicyFile, o.Profile, strings.Join(o.Command[:min(len(o.Command), 2)], " "))
}

// A PackageID says which package was installed, and where.
type PackageID struct {
	Manager   string `json:"manager"`   // that installed the package: npm, pypi
	Spec      string `json:"spec"`      // as it was asked for: npm:@x/y@^1
	Name      string `json:"name"`      // of the registry's
	Version   string `json:"version"`   // that the spec came to
	Integrity string `json:"integrity"` // of the archive: sha512-…
	Registry  string `json:"registry"`  // from which it came
	Path      string `json:"path"`      // absolute, below the store of this user
}

// texts are the fields of a package in the order of their encoding.
func (p *PackageID) texts() [7]*string {
	return [...]*string{&p.Manager, &p.Spec, &p.Name, &p.Version, &p.Integrity, &p.Registry, &p.Path}
}

// appendStored appends each text of a Stored.
func appendStored(b []byte, s *Stored) []byte {
	var list []string
	if s.Package != nil {
		for _, text := range s.Package.texts() {
			list = append(list, *text)
		}
	}
	b, list = appendBytes(appendBytes(appendList(b, list), []byte(s.Profile)), []byte(s.Stage)), nil
	for _, l := range s.Leads {
		list = append(list, l.Path, l.To)
	}
	return appendList(b, list)
}

// stored reads the bytes of appendStored.
func (d *decoder) stored() (s Stored) {
	if list := d.list(); len(list) > 0 {
		s.Package = new(PackageID)
		texts := s.Package.texts()
		if len(list) != len(texts) {
			d.bad = true
			return s
		}
		for i, text := range texts {
			*text = list[i]
		}
	}
	s.Profile, s.Stage = string(d.bytes()), string(d.bytes())
	leads := d.list()
	if len(leads)%2 != 0 {
		d.bad = true
		return s
	}
	for ; len(leads) > 0; leads = leads[2:] {
		s.Leads = append(s.Leads, Lead{leads[0], leads[1]})
	}
	return s
}
