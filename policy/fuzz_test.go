package policy

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// What is parsed is valid, is written as itself, and stays itself when the defaults are filled in; nothing panics.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*alid/*.json")
	if err != nil || len(files) < 20 {
		f.Fatalf("%d documents: %v", len(files), err)
	}
	for _, file := range files {
		doc, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		p, err := Parse(doc)
		if err != nil {
			var errs Errors
			if !errors.As(err, &errs) || len(errs) == 0 || !reflect.DeepEqual(p, Policy{}) {
				t.Fatalf("%v with %+v", err, p)
			}
			return
		}
		roundTrip(t, p)
		if err := p.Validate(); err != nil {
			t.Fatal(err)
		}
		e := p.effective(Run, "linux")
		roundTrip(t, e)
		if !reflect.DeepEqual(e, e.effective(Init, "darwin")) {
			t.Fatal("a default is still missing")
		}
		if a, err := p.Absolute("/base", "/home"); err == nil {
			roundTrip(t, a)
			if again, err := a.Absolute("", ""); err != nil || !reflect.DeepEqual(again, a) {
				t.Fatalf("absolute twice: %+v, %v", again, err)
			}
		}
		p.Environ([]string{"HOME=/home"})
	})
}

// A typical policy, as the shim reads it at each start.
var typical = []byte(`{
  "version": 1,
  "level": "standard",
  "filesystem": {
    "allowRead": ["~/src/project", "/srv/data", "/opt/tools"],
    "allowWrite": ["~/src/project/out"],
    "denyRead": ["~/src/project/.env"]
  },
  "env": {"NODE_ENV": "production"},
  "envVars": ["GITHUB_TOKEN"],
  "limits": {"memory": "1G", "pids": 128, "openFiles": 512},
  "seccomp": {"deny": ["ptrace"]}
}
`)

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(typical); err != nil {
			b.Fatal(err)
		}
	}
}

// All of policy that a start of the shim does.
func BenchmarkStart(b *testing.B) {
	host := os.Environ()
	b.ReportAllocs()
	for b.Loop() {
		p, err := Parse(typical)
		if err != nil {
			b.Fatal(err)
		}
		if p, err = p.Absolute("/base", "/home/u"); err != nil {
			b.Fatal(err)
		}
		p = p.Effective(Init)
		if err = p.Validate(); err != nil {
			b.Fatal(err)
		}
		p.Environ(host)
		if len(p.AppendJSON(make([]byte, 0, 2048))) == 0 {
			b.Fatal("nothing written")
		}
	}
}
