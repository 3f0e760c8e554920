package order

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func sample() *Order {
	return &Order{
		Policy: []byte(`{"version":1}`), Command: []string{"/bin/server", "--stdio", "", "a\xffb\nc"},
		Env: []string{"PATH=/usr/bin", "EMPTY="}, Dropped: []string{"SECRET"}, Dir: "/srv/data",
		Files: Files{PolicyFile: "/p.json", ReportFile: "/r.jsonl", Launcher: "/usr/bin/mcp-sandbox", EnvFiles: []string{"/a.env", "/b"}},
		Guide: Guide{Named: []Named{{"limits.memory", "--memory"}},
			Notices: []Notice{{NoticeEnv, "TOKEN", "--env TOKEN", "a line"}, {Kind: NoticeCwd}}, Opens: []string{"a warning"}, Places: []Place{{"cwd", "/srv", "--cwd /srv"}}},
		Beginning: Beginning{"reduced", "clone: EPERM"},
		Stored:    Stored{&PackageID{"npm", "npm:@x/y@^1", "@x/y", "1.2.3", "sha512-a", "registry.example", "/store/npm/@x/y/1.2.3-ab"}, "npm:@x/y", "/store/s", []Lead{{"/srv/link", "/srv/data"}}},
		ReportFD:  9, Flags: Flags{MinWritten: true, Verbose: true},
	}
}

func TestOrderComesBack(t *testing.T) {
	for name, o := range map[string]*Order{
		"all":     sample(),
		"nothing": {Command: []string{"x"}, ReportFD: -1},
		"large":   {Command: []string{strings.Repeat("x", 1<<20)}, Env: make([]string, 5000), ReportFD: 3},
	} {
		got, err := Decode(o.Encode())
		if err != nil || !same(got, o) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// Each field comes back by itself: two that were exchanged would not.
func TestEachFieldOfAnOrder(t *testing.T) {
	want := reflect.ValueOf(sample()).Elem()
	for _, f := range reflect.VisibleFields(want.Type()) {
		if f.Anonymous {
			continue
		}
		one := &Order{Command: []string{"x"}, ReportFD: -1}
		field := reflect.ValueOf(one).Elem().FieldByIndex(f.Index)
		if field.Kind() == reflect.Bool {
			field.SetBool(true)
		} else {
			field.Set(want.FieldByIndex(f.Index))
		}
		if got, err := Decode(one.Encode()); err != nil || !same(got, one) {
			t.Errorf("%s: %+v, %v", f.Name, got, err)
		}
	}
}

// same compares what was meant: an empty list is as good as none.
func same(a, b *Order) bool {
	normal := func(o Order) Order {
		for _, l := range []*[]string{&o.Command, &o.Env, &o.Dropped, &o.EnvFiles} {
			*l = append([]string{}, *l...)
		}
		o.Policy = append([]byte{}, o.Policy...)
		return o
	}
	return reflect.DeepEqual(normal(*a), normal(*b))
}

// Everything but an order is refused: cut anywhere, longer by a byte, of another version.
func TestDecodeRefuses(t *testing.T) {
	whole := sample().Encode()
	for n := range whole {
		if o, err := Decode(whole[:n]); err == nil {
			t.Errorf("%d bytes of %d are %+v", n, len(whole), o)
		}
	}
	version := bytes.Clone(whole)
	version[len(magic)-1]++
	flags := bytes.Clone(whole)
	flags[len(flags)-1] = 1
	long := bytes.Clone(whole)
	for i := range 8 {
		long[len(magic)+i] = 0xff // the policy's length
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "longer": append(bytes.Clone(whole), 0), "version": version, "unknown flag": flags, "length": long,
		"half a package":      halfAPackage(),
		"half a lead":         halfALead(),
		"no command":          (&Order{ReportFD: -1}).Encode(),
		"descriptor below -1": (&Order{Command: []string{"x"}, ReportFD: -2}).Encode(),
	} {
		if o, err := Decode(b); err == nil {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// halfAPackage is an order of which a text of the package is missing.
func halfAPackage() []byte {
	whole := (&Order{Command: []string{"x"}, ReportFD: -1, Stored: Stored{Package: new(PackageID)}}).Encode()
	texts := appendList(nil, make([]string, 7))
	return bytes.Replace(whole, texts, appendList(nil, make([]string, 6)), 1)
}

// halfALead is an order of which the place of a lead is missing.
func halfALead() []byte {
	whole := (&Order{Command: []string{"x"}, ReportFD: -1, Stored: Stored{Leads: []Lead{{"/a", "/b"}}}}).Encode()
	return bytes.Replace(whole, appendList(nil, []string{"/a", "/b"}), appendList(nil, []string{"/a"}), 1)
}

// What decodes is what encodes to the same bytes: there is one way to write an order.
func FuzzDecode(f *testing.F) {
	f.Add(sample().Encode())
	f.Add((&Order{Command: []string{"x"}, ReportFD: -1}).Encode())
	f.Add([]byte(magic))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := Decode(b)
		if err != nil {
			return
		}
		if !bytes.Equal(o.Encode(), b) {
			t.Fatalf("%x decodes to %+v, which encodes to %x", b, o, o.Encode())
		}
	})
}
