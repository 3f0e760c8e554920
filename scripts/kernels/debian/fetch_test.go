package debian

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A kernel that is not to be had is told apart from what is wrong here, whatever the way in which it is not, and
// nothing is left of the attempt.
func TestNotServed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /etc/os-release")
	}
	const mirror = `indextargets*) echo "http://mirror.example/";; `
	const newest = "#!/bin/sh\nprintf 'linux-image-cloud-amd64\\n  Depends: linux-image-7.3.4-cloud-amd64\\nlinux-image-7.3.4-cloud-amd64\\nkmod\\n'\n"
	for name, c := range map[string]struct {
		suite               string
		apt, cache, release string
		says                string
	}{
		"a suite that is gone":           {"old", mirror + "update*) echo 'E: no Release file' >&2; exit 100;;", newest, "7.3.", "no Release file"},
		"another version by now":         {"new", mirror, newest, "7.2.", "not to a 7.2."},
		"a package that is not there":    {"", "", "#!/bin/sh\necho 'E: No packages found' >&2; exit 100\n", "7.3.", "No packages found"},
		"a file that is not handed out":  {"new", mirror + "download*) echo 'E: 404' >&2; exit 100;;", newest, "7.3.", "404"},
		"and of this system's own suite": {"", "download*) echo 'E: 404' >&2; exit 100;;", newest, "7.3.", "404"},
	} {
		calls := fakeApt(t, `case "$*" in `+c.apt+` esac`)
		bin, _, _ := strings.Cut(os.Getenv("PATH"), ":")
		if err := os.WriteFile(filepath.Join(bin, "apt-cache"), []byte(c.cache), 0o755); err != nil {
			t.Fatal(err)
		}
		cache := t.TempDir()
		_, err := Fetch(t.Context(), cache, Source{Package: "linux-image-cloud-amd64", Release: c.release, Suite: c.suite})
		first := strings.Split(errorText(err), "\n")[0]
		if !errors.Is(err, ErrNotServed) || !strings.Contains(first, c.says) || calls() == 0 {
			t.Errorf("%s: %v, want in the first line %q", name, err, c.says)
		}
		if left, err := os.ReadDir(cache); err != nil || len(left) > 0 {
			t.Errorf("%s: left behind: %v, %v", name, left, err)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
