package order

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

func records() []Record {
	at := time.Date(2026, 11, 22, 9, 0, 0, 123e6, time.UTC)
	return []Record{
		&Enforced{Event: "enforced", Version: 1, Time: at, ID: "0f", Level: "standard", Confinement: "full", MinConfinement: "reduced",
			PolicySHA256: strings.Repeat("a", 64), Command: []string{"/bin/x", "a \"b\"\n\x7f"}, PID: 4711, Kernel: "6.18.44",
			LandlockABI: 7, ImpliedGrants: []string{"/opt/x"}, Protected: []string{"/p/.git"}, Unprotected: []string{"/p/.vscode"},
			EnvDropped: []string{"SECRET"}, Notices: []Notice{{Kind: NoticeEnv, Name: "SECRET", Flag: "--env SECRET"}},
			Publish: []string{"127.0.0.1:41873:3000"}, State: "acme", Profile: "npm:@x/y", Package: &PackageID{"npm", "npm:@x/y@^1", "@x/y", "1.2.3", "sha512-a", "registry.example", "/s/npm/@x/y/1.2.3-ab"}, Warnings: []string{"one", "two"}, Layers: []LayerReport{
				{Layer: Namespaces, State: Proved, Facts: []Fact{{Name: "pid", Want: "1", Got: "1"}, {Name: "x", Want: "y", Reason: "r", Effect: "e"}}},
				{Layer: Cgroup, State: Absent, Reason: "none here", Effect: "less"}, {Layer: Network, State: Off},
			}},
		&Refused{Event: "refused", Layer: Landlock, Op: "open", Path: "/srv/data", Error: "no such file or directory", Errno: 2, Hint: "make it", Time: at, ID: "0f"},
		&Exited{Event: "exited", Time: at, ID: "0f", Cause: CauseSignal, ExitCode: 137, Signal: "SIGKILL", Killed: 3, WallSeconds: 1.25, CPUSeconds: 0.5,
			MaxRSS: 1 << 20, MemoryLimit: 1 << 28, MemoryPeak: 1 << 27, ForksRefused: 3, Appeared: []string{"/p/.mcp.json"}, Denied: []DeniedCount{{Act{Kind: DeniedSyscall, Syscall: "ptrace"}, "--subprocess", "EPERM", 10000}, {Act: Act{Kind: "open", Path: "/p/x"}, Count: 1}},
			Egress: []Egress{{Host: "api.example.com", Port: 443, Connections: 2, Sent: 10, Received: 1 << 40}}, Dropped: 9968},
		&Denied{Event: "denied", Time: at, Flag: "--subprocess", PID: 2, Errno: "EPERM", Layer: Seccomp,
			Act: Act{DeniedSyscall, "fork", "api.example.com", "192.0.2.1", 443, "evil.example", "/p/x"}},
	}
}

// A record is one line of JSON that encoding/json reads back as it was.
func TestRecordsComeBack(t *testing.T) {
	lowered := &Lowered{Event: "lowered", Confinement: "reduced", Why: "clone: EPERM"}
	tried := &Tried{Event: "tried", Calls: []Call{{Name: TryUser, Error: "EPERM"}, {Name: TryNet}}}
	limit := &Denied{Event: "denied", Act: Act{Kind: DeniedLimit}, Flag: "--pids", Errno: "EAGAIN", Layer: Cgroup}
	for _, r := range append(records(), lowered, tried, limit) {
		comesBack(t, r)
	}
}

func comesBack(t *testing.T, r Record) {
	t.Helper()
	line := r.AppendJSON([]byte("before"))
	line, ok := bytes.CutPrefix(line, []byte("before"))
	if !ok || bytes.IndexByte(line, '\n') != len(line)-1 || !json.Valid(line) {
		t.Fatalf("%q is not one line of JSON", line)
	}
	got := reflect.New(reflect.TypeOf(r).Elem()).Interface()
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(got); err != nil || !reflect.DeepEqual(got, r) {
		t.Errorf("%s\n%+v, %v\nwant\n%+v", line, got, err, r)
	}
}

// Every member that the types name is written, in their order, and no other.
func TestMembersOfRecords(t *testing.T) {
	for _, r := range records() {
		var want, got []string
		typ := reflect.TypeOf(r).Elem()
		for _, f := range reflect.VisibleFields(typ) {
			if !f.Anonymous { // the members of an embedded struct are the record's
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				want = append(want, name)
			}
		}
		d := json.NewDecoder(bytes.NewReader(r.AppendJSON(nil)))
		for depth, key := 0, true; ; {
			token, err := d.Token()
			if err != nil {
				break
			}
			switch token {
			case json.Delim('{'), json.Delim('['):
				depth++
				continue
			case json.Delim('}'), json.Delim(']'):
				depth--
				key = true
				continue
			}
			if depth == 1 && key {
				got = append(got, token.(string))
				key = false
			} else if depth == 1 {
				key = true
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s has %v, want %v", typ.Name(), got, want)
		}
	}
}

// Empty lists are written as such: whoever reads a report need not know null.
func TestEmptyLists(t *testing.T) {
	line := (&Enforced{Event: "enforced"}).AppendJSON(nil)
	for _, name := range []string{"command", "impliedGrants", "protected", "unprotected", "envDropped", "layers", "notices", "warnings"} {
		if !bytes.Contains(line, []byte(`"`+name+`":[]`)) {
			t.Errorf("%s: %s", name, line)
		}
	}
}

// Whatever text a record holds, it stays one line of JSON, and text that is UTF-8 comes back.
func FuzzRecords(f *testing.F) {
	f.Add("open", "/srv/data", "no such file", 2, int64(1))
	f.Add("a\nb", "\x00\xff\u2028", `"\`, -1, int64(-1))
	f.Fuzz(func(t *testing.T, op, path, text string, n int, m int64) {
		valid := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
		for _, s := range []func(string) string{valid, func(s string) string { return s }} {
			all := []Record{
				&Refused{Event: "refused", Layer: Root, Op: s(op), Path: s(path), Error: s(text), Errno: n, Hint: s(text)},
				&Exited{Event: "exited", Cause: CauseExit, ExitCode: n, Signal: s(text), MaxRSS: m, Appeared: []string{s(path)},
					Denied: []DeniedCount{{Act{Kind: DeniedKind(s(op)), Syscall: s(path), Path: s(op)}, s(op), s(path), m}}, Dropped: max(m, 0)},
				&Denied{Event: "denied", Act: Act{Kind: DeniedSyscall, Syscall: s(op), Host: s(path), Asked: s(text)}, Flag: s(path), PID: n, Errno: s(text), Layer: Seccomp},
				&Enforced{Event: "enforced", Command: []string{s(op), s(path)}, ImpliedGrants: []string{}, Protected: []string{s(path)}, Unprotected: []string{},
					EnvDropped: []string{}, Warnings: []string{s(text)}, PID: n,
					Notices: []Notice{{Kind: NoticeEnv, Name: s(op), Flag: s(path)}},
					Layers:  []LayerReport{{Layer: Root, State: Proved, Facts: []Fact{{Name: s(op), Want: s(text), Got: s(path)}}}}},
			}
			for _, r := range all {
				if line := r.AppendJSON(nil); !json.Valid(line) || bytes.Count(line, []byte("\n")) != 1 {
					t.Fatalf("%q", line)
				}
				if s(op)+s(path)+s(text) == valid(op)+valid(path)+valid(text) {
					comesBack(t, r)
				}
			}
		}
	})
}
