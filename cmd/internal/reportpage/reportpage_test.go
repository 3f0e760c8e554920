package reportpage

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
)

func shown(r *Reading) string {
	var b strings.Builder
	r.Show(page.Printer{W: &b})
	return b.String()
}

// The reports in testdata are shown as their goldens say; UPDATE=1 writes these.
func TestShow(t *testing.T) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		r, err := File(file)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		got, golden := shown(r), strings.TrimSuffix(file, "jsonl")+"golden"
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s, %v:\n%s\nwant\n%s", file, err, got, want)
		}
	}
}

// A file that does not begin as a report is none.
func TestNoReport(t *testing.T) {
	for _, text := range []string{"", "\n", "hello\n", "{}", "[]", `{"event":"exited","cause":"exit"}`, `{"event":"enforced"`, `{"event":"enforced","pid":"x"}`,
		`{"version":1}`, `"enforced"`, `{"event":"refused"}`, "\x00", strings.Repeat("[", 1<<20)} {
		if r, err := parse([]byte(text)); !errors.Is(err, ErrNoReport) {
			t.Errorf("%.40q: %v, %v", text, r, err)
		}
	}
	if _, err := parse([]byte(`{"event":"enforced","version":2}`)); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Error(err)
	}
}

// Neither a pipe that nobody writes to nor a file without an end keeps the reader.
func TestBounds(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip(err)
	}
	began := time.Now()
	if r, err := File("/dev/zero"); err == nil || !strings.Contains(err.Error(), "8 MiB") && !strings.Contains(err.Error(), "in time") {
		t.Error(r, err)
	}
	denied := strings.Repeat(`{"event":"denied","syscall":"bpf"}`+"\n", 100_000)
	r, err := parse([]byte(`{"event":"enforced","version":1}` + "\n" + denied))
	if err != nil || len(r.Denied) != maxDenied || r.more != 100_000-maxDenied {
		t.Fatal(err)
	}
	if text := shown(r); strings.Count(text, "\n") > 100 || !strings.Contains(text, "and 99960 more") {
		t.Error(text)
	}
	var facts []byte
	for i := range 50_000 {
		facts = fmt.Appendf(facts, `,{"fact":"write /a%d","want":"opened"}`, i)
	}
	r, err = parse([]byte(`{"event":"enforced","version":1,"layers":[{"layer":"landlock","state":"proved","facts":[` + string(facts[1:]) + "]}]}\n"))
	if err != nil || len(r.Enforced.Layers[0].Facts) != 50_000 {
		t.Fatal(err)
	}
	if text := shown(r); strings.Count(text, "\n") > 200 || !strings.Contains(text, "without 49960 more, which --json has") {
		t.Errorf("%.2000s", text)
	}
	if took := time.Since(began); took > time.Minute {
		t.Error(took)
	}
}

// Whatever a file holds, the terminal gets few lines of characters that it prints.
func FuzzShow(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.jsonl")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parse(text)
		if err != nil {
			return
		}
		out := shown(r)
		for _, c := range out {
			if c != '\n' && !unicode.IsPrint(c) {
				t.Fatalf("%q in %q", c, out)
			}
		}
		if n := len(out); n > 32*len(text)+1<<16 {
			t.Fatalf("%d bytes of %d", n, len(text))
		}
	})
}
