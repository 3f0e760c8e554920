package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/launcher"
)

var update = flag.Bool("update", false, "write the goldens in testdata/doctor instead of comparing with them")

// The machines of package doctor's goldens, on every operating system, as a person reads them.
func TestDoctorText(t *testing.T) {
	files, err := filepath.Glob("../../launcher/doctor/testdata/*.json")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var m launcher.Machine
		if err := json.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(string(b), "\r\n", "\n"); cli.AsJSON(&m) != got {
			t.Errorf("%s: --json prints %s", file, cli.AsJSON(&m))
		}
		text := checkLines(&m, false)
		golden := filepath.Join("testdata", "doctor", strings.TrimSuffix(filepath.Base(file), ".json")+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if text != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("%s differs: run go test -update and look at the difference. Now it is\n%s", golden, text)
		}
		coloured := checkLines(&m, true)
		for _, sgr := range []string{"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"} {
			coloured = strings.ReplaceAll(coloured, sgr, "")
		}
		if coloured != text {
			t.Errorf("%s: colour changes more than colours: %q", file, coloured)
		}
	}
}

// The example of the contract, word for word.
func TestDoctorFormat(t *testing.T) {
	m := &launcher.Machine{Checks: []launcher.Check{
		{Name: "OS", State: launcher.Works, Detail: "linux 6.18.44 (amd64)"},
		{Name: "Cgroups v2", State: launcher.Limited, Detail: "none", Fix: "one\ntwo"},
		{Name: "Landlock", State: launcher.Missing, Detail: "the kernel has none"},
	}}
	const want = "[✓] OS: linux 6.18.44 (amd64)\n[!] Cgroups v2: none\n    fix: one\n         two\n[✗] Landlock: the kernel has none\n"
	if got := checkLines(m, false); got != want {
		t.Errorf("%s", got)
	}
	if got := checkLines(m, true); !strings.HasPrefix(got, "\x1b[32m[✓]\x1b[0m OS") {
		t.Errorf("%q", got)
	}
}
