package places_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A house is what all places of a test share: the programs, in a folder that every uid can read.
type house struct {
	*testing.T
	bin  string
	self string // this test binary, there
}

// furnished is whether the programs lie there; no two tests of this package run at once.
var furnished bool

// newHouse puts the programs side by side, once.
func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{T: t, bin: filepath.Join(testbed.Scratch(t), "bin")}
	h.self = filepath.Join(h.bin, "resident")
	if furnished {
		return h
	}
	if err := os.MkdirAll(h.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"/proc/self/exe": "resident", testbed.Command(t, "mcp-sandbox"): "mcp-sandbox",
		testbed.Command(t, "mcp-sandbox-init"): "mcp-sandbox-init", testbed.Program(t, "probe"): "probe"} {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(h.bin, to), b, 0o755)
		}
		if err == nil {
			err = os.Chmod(filepath.Join(h.bin, to), 0o755) // whatever the umask is
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	furnished = true
	return h
}

// needs is where a tool is. A run that has none is skipped, or fails.
func (h *house) needs(tool string) string {
	h.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		testbed.Missing(h, tool, "no "+tool+" on this machine")
	}
	return path
}

// A way leads a command into a place: it is the command that does so.
type way func(h *house, command []string) []string

// then is one way after another.
func then(ways ...way) way {
	return func(h *house, command []string) []string {
		for _, w := range slices.Backward(ways) {
			command = w(h, command)
		}
		return command
	}
}

const ordinary = "12345"

// user is an ordinary user, without any right.
func user(h *house, command []string) []string {
	if os.Geteuid() != 0 {
		return command
	}
	return append([]string{h.needs("setpriv"), "--reuid", ordinary, "--regid", ordinary, "--clear-groups", "--inh-caps=-all"}, command...)
}

// root is root of this machine, whose other user has rows of its own.
func root(h *house, command []string) []string {
	if os.Geteuid() != 0 {
		h.Skip("only root is root")
	}
	return command
}

// sealed is a machine without one thing.
func sealed(name string) way {
	return func(h *house, command []string) []string { return append([]string{h.self, sealArg, name}, command...) }
}

func shell(script string, command []string) []string {
	return append([]string{"/bin/sh", "-ec", script + "\nexec \"$@\"", "sh"}, command...)
}

// limited is a shell with a limit, soft and hard.
func limited(limit string) way {
	return func(_ *house, command []string) []string { return shell("ulimit "+limit, command) }
}

// unshared runs a script with every right in a user namespace of its own, and goes on there as an ordinary user.
func unshared(script string, flags ...string) way {
	return func(h *house, command []string) []string {
		command = append([]string{h.needs("setpriv"), "--inh-caps=-all", "--ambient-caps=-all"}, command...)
		return append(h.rights(flags...), shell(script, command)...)
	}
}

// alone is a user namespace with one user, of another number.
func alone(uid string) way {
	return func(h *house, command []string) []string {
		return append([]string{h.needs("unshare"), "--user", "--map-user=" + uid, "--map-group=" + uid}, command...)
	}
}

// rights gives an ordinary user every right in a user namespace, and keeps them over execve.
func (h *house) rights(flags ...string) []string {
	return slices.Concat([]string{h.needs("unshare"), "--user", "--map-user=" + ordinary, "--map-group=" + ordinary, "--keep-caps"}, flags)
}

// bubblewrapped is bubblewrap with everything unshared.
func bubblewrapped(h *house, command []string) []string {
	return append([]string{h.needs("bwrap"), "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp",
		"--ro-bind", h.bin, h.bin}, command...)
}

// own is this project's sandbox.
func own(h *house, command []string) []string {
	return append([]string{filepath.Join(h.bin, "mcp-sandbox"), "run", "--allow-read", h.bin, "--"}, command...)
}

// tree makes the folder $r a root file system: the base system, the programs in $bin, and what a process needs.
const tree = `mkdir $r/proc $r/dev $r/tmp $r/sys $r/usr $r/etc
chmod 1777 $r/tmp
for d in bin sbin lib lib64; do [ ! -e /$d ] || ln -s usr/$d $r/$d; done
for d in proc dev usr etc; do mount --rbind /$d $r/$d; done
mkdir -p $r$bin; mount --bind $bin $r$bin
`

// chrooted enters a folder by chroot(2).
func chrooted(h *house, command []string) []string {
	script := "r=" + testbed.Folder(h) + " bin=" + h.bin + "\n" + tree + "set -- " + h.needs("chroot") + ` $r "$@"`
	command = append([]string{h.needs("setpriv"), "--inh-caps=-all", "--ambient-caps=-all"}, command...)
	return append(h.rights("--mount"), shell(script, command)...)
}
