package reportpage

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// What the policy granted is named, and neither what every server sees nor what the sandbox made.
func TestFiles(t *testing.T) {
	facts := func(text string) (all []order.Fact) {
		for line := range strings.SplitSeq(text, "; ") {
			name, want, _ := strings.Cut(line, " = ")
			all = append(all, order.Fact{Name: name, Want: want, Got: want})
		}
		return all
	}
	const full = "stat /x = ENOENT; mount / = ro,nosuid,nodev; mount /dev/null = ro,nosuid,noexec; mount /etc/ssl = ro,nosuid,nodev; " +
		"mount /etc/passwd2 = ro,nosuid,nodev; mount /p = nosuid,nodev; mount /q = ro,nosuid,nodev; mount /usr = ro,nosuid,nodev; " +
		"mount /tmp = rw,nosuid,nodev; mount /proc = ro,nosuid,nodev,noexec; mount /dev/pts = rw,nosuid,noexec; " +
		"mount /p/.git = ro,nosuid,nodev; mount /home = nosuid,nodev"
	const rules = "write /proc = EACCES; write /q = EACCES; read /proc = opened; make a file in /t/home = 0, removed 0; " +
		"write /dev/null = opened; read /etc = opened; read /q = opened; write /p = opened; read /usr = opened"
	for _, c := range []struct {
		name, root, landlock, read, written string
	}{
		{"full", full, "read / = opened; write /dev = opened", "/etc/passwd2 /q", "/p"},
		{"the whole host", "mount / = ro,nosuid,nodev; mount /p = nosuid,nodev; mount /dev/pts = rw,nosuid,noexec", "", "/", "/p"},
		{"reduced", "", rules, "/q", "/p"},
	} {
		read, written := files([]order.LayerReport{{Layer: order.Root, Facts: facts(c.root)},
			{Layer: order.Landlock, Facts: facts(c.landlock)}})
		if strings.Join(read, " ") != c.read || strings.Join(written, " ") != c.written {
			t.Errorf("%s: %q and %q", c.name, read, written)
		}
	}
	r := &Reading{Enforced: &order.Enforced{Confinement: "limits"}}
	if lines := r.files(); len(lines) != 1 || lines[0][0].Text != "all" {
		t.Errorf("limits: %v", lines)
	}
}
