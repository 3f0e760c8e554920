package reportpage

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// always is what every server sees, as the policy's page has it; a name that ends with a star begins others.
const always = " / /usr /bin /sbin /lib* /nix/store /gnu/store /run/current-system /dev /dev/* /proc /proc/* /etc " +
	"/etc/ld.so.* /etc/ssl /etc/pki /etc/ca-certificates /etc/crypto-policies /etc/java-* /etc/localtime " +
	"/etc/timezone /etc/nsswitch.conf /etc/alternatives /etc/services /etc/protocols /etc/mime.types " +
	"/etc/gitconfig /etc/fonts /etc/os-release /etc/static /etc/profiles "

func isAlways(path string) bool {
	return slices.ContainsFunc(strings.Fields(always), func(known string) bool {
		front, begins := strings.CutSuffix(known, "*")
		return path == known || begins && strings.HasPrefix(path, front)
	})
}

// files are the paths of the host that the server could read, and those that it could write, as the facts have them:
// the mounts in front of the sandbox's own /dev/pts, behind which lie what covers and holds; without mounts the rules
// of Landlock.
func files(layers []order.LayerReport) (read, written []string) {
	type listed struct {
		list *[]string
		path string
	}
	seen := map[listed]bool{} // a stranger's report may have very many
	add := func(list *[]string, path string) {
		if is := (listed{list, path}); !seen[is] && !isAlways(path) {
			seen[is] = true
			*list = append(*list, path)
		}
	}
	mounts, whole := false, true
	for i := range layers {
		for _, f := range layers[i].Facts {
			act, path, _ := strings.Cut(f.Name, " ")
			switch {
			case layers[i].Layer == order.Root && f.Name == "mount /dev/pts":
				mounts = true
			case layers[i].Layer == order.Root && act == "mount" && !mounts && f.Want == "nosuid,nodev":
				add(&written, path)
			case layers[i].Layer == order.Root && act == "mount" && !mounts && f.Want == "ro,nosuid,nodev":
				whole = whole && path != "/usr"
				add(&read, path)
			case layers[i].Layer == order.Landlock && !mounts && act == "write" && f.Want == "opened":
				add(&written, path)
			case layers[i].Layer == order.Landlock && !mounts && act == "read" && f.Want == "opened":
				add(&read, path)
			}
		}
	}
	if mounts && whole { // filesystem.default read: no mount shows the programs by themselves
		read = append([]string{"/"}, read...)
	}
	return read, written
}

// files are the lines on them.
func (r *Reading) files() [][]page.Cell {
	if c := r.Enforced.Confinement; c == "limits" || c == "none" {
		return line("all", "that the user can read and write: nothing held files back")
	}
	read, written := files(r.Enforced.Layers)
	return join(labelled("could write", written), labelled("could read", read))
}
