package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

const target = "/bin/true"

// A bench is what all variants share.
type bench struct {
	dir    string // readable by the measured user
	cred   *syscall.Credential
	mounts []string // what the sandbox shows of the host, read-only
	links  [][2]string
}

// newBench is one whose folder has the programs already.
func newBench(dir string) *bench {
	b := &bench{dir: dir}
	if os.Getuid() == 0 {
		b.cred = &syscall.Credential{Uid: testbed.Ordinary, Gid: testbed.Ordinary}
	}
	return b
}

// prepare builds the programs and asks the sandbox itself what it mounts, so that the others mount the same.
func prepare() (*bench, error) {
	dir, err := os.MkdirTemp("", "mcp-sandbox-bench")
	if err != nil {
		return nil, err
	}
	b := newBench(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
	programs := []string{"mcp-sandbox-init", "mcp-sandbox", "mcp-sandbox-serve"}
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", dir, "./cmd/mcp-sandbox-init",
		"./cmd/mcp-sandbox", "./cmd/mcp-sandbox-serve")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	cc := exec.Command("cc", "-O2", "-o", b.path("floor"), "testdata/floor/floor.c")
	for _, c := range []*exec.Cmd{build, cc} {
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%v: %w\n%s", c.Args, err, out)
		}
	}
	// The linker writes by mmap(2), page by page. Written anew, as an installation does, a program lies in the page
	// cache in large pieces, and each start of it maps fewer of them.
	for _, name := range programs {
		if err := rewrite(b.path(name), b.path(name)); err != nil {
			return nil, err
		}
	}
	if err := b.home(); err != nil {
		return nil, err
	}
	// Freshly written pages of a program count as its private dirty memory until they are on the disk.
	defer unix.Sync()
	// The hosts are this program, where the measured user can execute it.
	if err := testbed.CopySelf(b.path("host")); err != nil {
		return nil, err
	}
	return b, b.learn()
}

// home makes a home for the measured user, where mcp-sandbox run keeps its reports.
func (b *bench) home() error {
	err := os.Mkdir(b.path("home"), 0o700)
	if err == nil && b.cred != nil {
		err = os.Chown(b.path("home"), int(b.cred.Uid), int(b.cred.Gid))
	}
	return err
}

// rewrite makes a new file at to of a program.
func rewrite(from, to string) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err = os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(to, program, 0o755)
}

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

func (b *bench) remove() { os.RemoveAll(b.dir) }

// command is a command as the measured user, in a folder that it can enter.
func (b *bench) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = "/"
	c.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + b.path("home")}
	if b.cred != nil {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: b.cred}
	}
	return c
}

// init is a command of mcp-sandbox-init.
func (b *bench) init(words ...string) *exec.Cmd {
	return b.command(b.path("mcp-sandbox-init"), words...)
}

// forbidden is a command where user namespaces are forbidden. The rest of the machine sees nothing of it.
func (b *bench) forbidden(words ...string) *exec.Cmd {
	c := b.command(words[0], words[1:]...)
	if err := (testbed.Machine{Lacks: []testbed.Lack{testbed.NoUserNamespaces}}).Apply(c); err != nil {
		c.Err = err
	}
	return c
}

// learn launches once and takes the mounts from the report.
func (b *bench) learn() error {
	c := b.init()
	c.Stderr = os.Stderr
	report, err := reported(c, policy.Full)
	if err != nil {
		return err
	}
	var e order.Enforced
	if err := json.NewDecoder(bytes.NewReader(report)).Decode(&e); err != nil {
		return err
	}
	for _, f := range e.Layer(order.Root).Facts {
		path, isMount := strings.CutPrefix(f.Name, "mount ")
		ofHost := f.Want == "ro,nosuid,nodev" || f.Want == "nosuid,noexec"
		if isMount && ofHost && path != "/" && path != "/dev/pts" {
			b.mounts = append(b.mounts, path)
		}
	}
	for _, l := range []string{"/bin", "/sbin", "/lib", "/lib64"} {
		if to, err := os.Readlink(l); err == nil {
			b.links = append(b.links, [2]string{to, l})
		}
	}
	if len(b.mounts) < 3 {
		return errors.New("the report names no mounts")
	}
	return nil
}

func (b *bench) variants() ([]*variant, error) {
	lines := b.lines()
	host := b.path("host")
	once := func(name string, args ...string) func() error {
		return func() error { return b.command(name, append(args, "--", target)...).Run() }
	}
	list := []*variant{
		{name: target + " alone", launch: func() error { return b.command(target).Run() }},
		{name: floor, launch: once(b.path("floor"), lines[floor]...)},
		{name: written, launch: once("bwrap", lines[written]...)},
		{name: reference, launch: once("bwrap", lines[reference]...)},
		{name: "bubblewrap from a Go host, heap 200 MB", host: b.command(host,
			slices.Concat([]string{starterArg, "200", "bwrap"}, lines[reference], []string{"--", target})...)},
		{name: "mcp-sandbox-init, all layers, report",
			launch: byInit(func() *exec.Cmd { return b.init() }, policy.Full)},
		{name: "mcp-sandbox run, all layers, report", launch: once(b.path("mcp-sandbox"), "run", "--quiet")},
		{name: "from a Go host, heap 0 MB, all layers, report", host: b.command(host, hostArg, "0", "full")},
		{name: "from a Go host, heap 200 MB, all layers, report", host: b.command(host, hostArg, "200", "full")},
		{name: "user namespaces forbidden: mcp-sandbox-init, reduced, report",
			host: b.forbidden(host, launcherArg, b.path("mcp-sandbox-init"))},
		{name: "user namespaces forbidden: from a Go host, reduced, report",
			host: b.forbidden(host, hostArg, "0", "reduced")},
	}
	for _, h := range hosts(b)[1:] {
		list = append(list, &variant{name: "from " + h.name + ", all layers, report",
			host: b.command(b.path(h.program), hostArg, "0", "full")})
	}
	for _, v := range list {
		if v.host == nil {
			continue
		}
		var err error
		if v.launch, v.close, err = start(v.host); err != nil {
			return nil, err
		}
	}
	return list, nil
}
