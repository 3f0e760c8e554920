package profile

import "testing"

// Whatever is in a document is read or refused, and what is read grants only what a profile may.
func FuzzParse(f *testing.F) {
	all, err := All()
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range all {
		doc, err := Document(p.Package)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		p, err := Parse(doc)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		q := p.Policy
		if q.Level != "" || q.Network.AllowPrivate || len(q.Network.AllowUnixSockets) > 0 || len(q.Filesystem.DenyRead) > 0 || q.Filesystem.Default != "" {
			t.Errorf("%s has %+v", p.Package, q)
		}
		p.Entry()
	})
}
