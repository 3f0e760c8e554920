package testbed

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An Own is a folder that a server may write, with what its launcher needs the next time: the program that launches, a
// policy, and a report.
type Own struct{ Dir, Program, Policy, Report string }

// OwnFiles makes such a folder. The program is a copy of the running test binary.
func OwnFiles(tb testing.TB) Own {
	tb.Helper()
	o := Own{Program: Copy(tb, 0o755)}
	o.Dir = filepath.Dir(o.Program)
	o.Policy, o.Report = filepath.Join(o.Dir, "policy.json"), filepath.Join(o.Dir, "report.jsonl")
	const policy = `{"version":1,"filesystem":{"allowWrite":["."]}}`
	for path, text := range map[string]string{o.Policy: policy, o.Report: ""} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			tb.Fatal(err)
		}
	}
	// Whatever the umask and the server's user are.
	for _, path := range []string{o.Dir, o.Program, o.Policy, o.Report} {
		if err := os.Chmod(path, 0o777); err != nil {
			tb.Fatal(err)
		}
	}
	return o
}

// Spoil is a server that does to files what it can, and writes beside them.
func (o Own) Spoil(files ...string) []string {
	const script = `dir=$1; shift
for f; do
	chmod 755 "$f" 2>&1
	(echo '{}' >>"$f") 2>/dev/null && echo "wrote $f"
	mv "$f" "$dir/away" 2>/dev/null && echo "moved $f"
	rm -f "$f" 2>/dev/null && echo "removed $f"
done
echo beside >"$dir/beside"`
	return append([]string{"/bin/sh", "-c", script, "sh", o.Dir}, files...)
}

// Kept demands of what a server said, and of its report's first line, that none of the files could be changed, for they
// are on a read-only mount, that the report says so, and that the folder could be written all the same.
func (o Own) Kept(tb testing.TB, said, enforced string, files ...string) {
	tb.Helper()
	if strings.Count(said, "Read-only file system") != len(files) || strings.Count(said, "\n") != len(files) {
		tb.Errorf("of %v the server said\n%s", files, said)
	}
	if b, err := os.ReadFile(filepath.Join(o.Dir, "beside")); string(b) != "beside\n" {
		tb.Errorf("nothing was written beside them: %v", err)
	}
	var report struct{ Protected []string }
	if err := json.Unmarshal([]byte(enforced), &report); err != nil {
		tb.Errorf("%v: %q", err, enforced)
	}
	for _, f := range files {
		if !slices.Contains(report.Protected, f) {
			tb.Errorf("protected is %v without %s", report.Protected, f)
		}
	}
}
