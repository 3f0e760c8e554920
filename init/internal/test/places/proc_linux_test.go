package places_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// Where full has no /proc of its own, programs that read /proc run all the same: they get reduced. With
// minConfinement full, which takes full without one, they do not.
func TestProcReaders(t *testing.T) {
	const script = "mount --bind /proc/sys /proc/sys\nmount -o remount,bind,ro /proc/sys"
	for _, c := range []struct {
		name    string
		tool    string
		command []string
	}{
		{"bash", "/bin/bash", []string{"-c", `read -r x < <(echo word) && [ "$x" = word ]`}},
		{"node", "node", []string{"-e", `if (!(process.memoryUsage().rss > 0 && require("os").cpus().length > 0)) process.exit(1)`}},
		{"java", "java", []string{"-version"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t)
			tool := h.needs(c.tool)
			run := func(flags ...string) error {
				words := append([]string{filepath.Join(h.bin, "mcp-sandbox"), "run"}, flags...)
				words = then(user, unshared(script, "--mount"))(h, append(append(words, "--", tool), c.command...))
				cmd := exec.Command(words[0], words[1:]...)
				cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"}
				out, err := cmd.CombinedOutput()
				t.Logf("%v: %v\n%s", flags, err, out)
				return err
			}
			if err := run(); err != nil {
				t.Errorf("%v", err)
			}
			if run("--min-confinement", "full") == nil {
				t.Errorf("the control: %s does without /proc", c.name)
			}
		})
	}
}
