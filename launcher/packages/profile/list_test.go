package profile

import (
	"encoding/json"
	"testing"
)

func TestEntry(t *testing.T) {
	p := parsed(t, `"policy": {"network": {"allowedDomains": ["api.example.com:443"]}},
		"arguments": [{"position": 0, "rest": true, "grant": "write"}, {"flag": "--db", "grant": "host"}, {"variable": "X_API", "grant": "host", "default": "https://d.example.com"}, {"position": 1, "grant": "read"}],
		"env": {"required": ["X_TOKEN"], "optional": ["EXAMPLE_*"]}, "hostsFrom": ["X_URL"]`)
	text, err := json.Marshal(Listing{Profiles: []Entry{p.Entry(), parsed(t, `"state": true`).Entry()}})
	const want = `{"profiles":[{"id":"npm:@x/y","package":"npm:@x/y","hosts":["api.example.com:443","d.example.com:443","$X_API","$X_URL"],"env":["X_TOKEN","EXAMPLE_*"],` +
		`"arguments":["0…: write","--db: host","$X_API: host","1: read"]},{"id":"npm:@x/y","package":"npm:@x/y","hosts":[],"env":[],"arguments":[]}]}`
	if err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

func TestList(t *testing.T) {
	l, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range l.Profiles {
		if i > 0 && l.Profiles[i-1].ID >= e.ID {
			t.Errorf("%s stands before %s", l.Profiles[i-1].ID, e.ID)
		}
		if doc, err := Document(e.ID); err != nil || len(doc) == 0 {
			t.Errorf("%s: %v", e.ID, err)
		}
	}
	if doc, err := Document("npm:none"); doc != nil || err != nil {
		t.Errorf("%s, %v", doc, err)
	}
}
