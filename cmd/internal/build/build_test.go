package build

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// What is read from this program's file is what the runtime says.
func TestInformation(t *testing.T) {
	want, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("the test has no build information")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	lines := information(file)
	got, err := debug.ParseBuildInfo(lines)
	if err != nil || got.Path != want.Path || got.Main != want.Main || len(got.Settings) != len(want.Settings) {
		t.Errorf("got %q, %v, want %q", lines, err, want)
	}
	// A file that ends too early has none, wherever it ends, and nothing panics.
	begin := strings.Index(string(file), lines)
	for cut := begin - 64; cut < begin+len(lines); cut++ {
		if got := information(file[:cut]); got != "" {
			t.Fatalf("of %d bytes: %q", cut, got)
		}
	}
}

func TestInformationOfWhatIsNone(t *testing.T) {
	for _, file := range []string{
		"", magic, "\xff" + magic, "\xff" + magic + "\x08\x02", // the header is cut off
		"\xff" + magic + "\x08\x00" + strings.Repeat("\x00", 64), // pointers, as before Go 1.18
		"\xff" + magic + "\x08\x02" + strings.Repeat("\x00", 16) + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		" \xff" + magic + "\x08\x02" + strings.Repeat("\x00", 16) + "\x00\x41" + strings.Repeat("x", 65), // not aligned
	} {
		if got := information([]byte(file)); got != "" {
			t.Errorf("%q: %q", file, got)
		}
	}
}

func TestLine(t *testing.T) {
	const settings = "path\tx\nmod\tx\tVERSION\t\nbuild\t-trimpath=true\nbuild\tvcs.revision=0123456789abcdef\nbuild\tvcs.modified=true\n"
	for _, c := range []struct{ lines, want string }{
		{"", "x devel (go, os/arch)"},
		{"mod\tx\t(devel)\t\n", "x devel (go, os/arch)"},
		{"mod\tx\tv1.2.3\th1:abc=\n", "x v1.2.3 (go, os/arch)"},
		{strings.Replace(settings, "VERSION", "v1.2.3+dirty", 1), "x v1.2.3+dirty (commit 0123456789ab, go, os/arch)"},
	} {
		b := Build{Name: "x", Version: "devel", Go: "go", OS: "os", Arch: "arch"}
		b.fill(c.lines)
		if b.String() != c.want || b.Modified != strings.Contains(c.lines, "modified=true") {
			t.Errorf("%q: %+v, want %q", c.lines, b, c.want)
		}
	}
}

// The test binary is stamped by nobody, and says so in one line.
func TestRead(t *testing.T) {
	if line := Read("x").String(); !strings.HasPrefix(line, "x ") || strings.Contains(line, "\n") || !strings.Contains(line, "go1") {
		t.Errorf("%q", line)
	}
}
