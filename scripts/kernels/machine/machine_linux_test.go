package machine

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// The kernel finds process 1, its job and the modules, with each folder before its files.
func TestInitramfs(t *testing.T) {
	if _, err := exec.LookPath("cpio"); err != nil {
		t.Skip("no cpio: command kernels installs it")
	}
	dir, modules := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(modules, "100-a.ko"), []byte("\x7fELF"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := &Machine{Modules: modules, Guest: "/bin/true"}
	if err := m.files(t.Context(), dir, &job.Job{UID: 1}); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("cpio", "--quiet", "--list")
	archive, err := os.Open(filepath.Join(dir, "initrd"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	cmd.Stdin = archive
	out, err := cmd.Output()
	names := strings.Fields(string(out))
	for _, want := range []string{"init", "job.json", "modules", "modules/100-a.ko"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not in %q, %v", want, names, err)
		}
	}
	if slices.Index(names, "modules") > slices.Index(names, "modules/100-a.ko") {
		t.Errorf("a file before its folder: %q", names)
	}
	line := strings.Join((&Machine{Append: "lsm=yama"}).arguments(dir, false), " ")
	if !strings.Contains(line, "thread=single") || !strings.Contains(line, "no_timer_check lsm=yama") {
		t.Error(line)
	}
	if line := strings.Join(m.arguments(dir, true), " "); !strings.Contains(line, "-accel kvm -cpu host") {
		t.Error(line)
	}
}
