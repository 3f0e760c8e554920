package shim_test

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// mounts: each is claimed, or the host's below a claimed one, and each claimed one is there with the options claimed.
func (r *running) mounts() {
	table, err := platform.ParseMountinfo([]byte(r.read("mountinfo")))
	if err != nil {
		r.Fatal(err)
	}
	claimed := map[string][]string{}
	for _, l := range r.Layers {
		for _, f := range l.Facts {
			if at, ok := strings.CutPrefix(f.Name, "mount "); ok {
				claimed[at] = append(claimed[at], f.Got)
			}
		}
	}
	for _, m := range table {
		if m.Propagation != "" {
			r.Errorf("%s is %s", m.Path, m.Propagation)
		}
		if !m.Has("nosuid") {
			r.Errorf("%s honours set-user-ID: %s", m.Path, m.Options)
		}
		up := m.Path
		for claimed[up] == nil && up != "/" {
			up = path.Dir(up)
		}
		if claimed[up] == nil || up == "/" && m.Path != "/" && r.Level != "" && !m.Has("ro") {
			r.Errorf("%s %s %s: nobody claimed it", m.Path, m.Type, m.Options)
		}
		claimed[m.Path] = slices.DeleteFunc(claimed[m.Path], func(options string) bool {
			for o := range strings.SplitSeq(options, ",") {
				if !m.Has(o) {
					return false
				}
			}
			return true
		})
	}
	for at, left := range claimed {
		if len(left) > 0 {
			r.Errorf("%s %v: claimed and not there", at, left)
		}
	}
}

// root is what the server's / shows: nothing but the base system and the ways to the grants. With filesystem.default read
// it is the host's, and has something over /sys.
func (r *running) root(s stage) {
	entries, err := os.ReadDir(r.dir + "/root/")
	if err != nil {
		r.Fatal(err)
	}
	if _, host := r.fact(order.Root, "mount /sys"); host {
		if sys, err := os.ReadDir(r.dir + "/root/sys"); err != nil || len(sys) > 0 {
			r.Errorf("/sys holds %v, %v", sys, err)
		}
		return
	}
	first, _, _ := strings.Cut(s.Dir[1:], "/")
	may := []string{"bin", "dev", "etc", "lib", "lib32", "lib64", "libx32", "nix", "gnu", "proc", "run", "sbin", "sys", "tmp", "usr", first}
	for _, e := range entries {
		if !slices.Contains(may, e.Name()) {
			r.Errorf("/%s is there", e.Name())
		}
	}
}

func (r *running) environment(s stage) {
	env := map[string]string{}
	for pair := range strings.SplitSeq(strings.TrimSuffix(r.read("environ"), "\x00"), "\x00") {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	if r.Confinement != "full" {
		private, isPrivate := strings.CutSuffix(env["TMPDIR"], "/tmp")
		if at, err := os.Stat(env["TMPDIR"]); !isPrivate || err != nil || at.Mode().Perm() != 0o700 || env["HOME"] != private+"/home" && env["HOME"] != s.Path("home") {
			r.Errorf("environment %v, %v", env, err)
		}
		return
	}
	if want := map[string]string{"HOME": s.Path("home"), "PATH": "/usr/bin:/bin"}; !maps.Equal(env, want) {
		r.Errorf("environment %v, want %v", env, want)
	}
}

// sharedNamespaces: all are the launcher's.
func (r *running) sharedNamespaces() {
	for _, name := range platform.NamespaceNames() {
		link, err := os.Readlink(r.dir + "/ns/" + name)
		own, _ := os.Readlink("/proc/self/ns/" + name)
		if err != nil || link != own {
			r.Errorf("%s is %s, the launcher's %s, %v", name, link, own, err)
		}
	}
}
