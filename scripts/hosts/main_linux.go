// Command hosts has real hosts of MCP servers read entries that mcp-sandbox wrap has changed, and start the servers by
// these entries. After mcp-sandbox unwrap every entry has to be what it was.
//
//	make test-hosts
//	go run ./scripts/hosts -heavy -v
//
// The hosts are installed at pinned versions: those of scripts/hosts/light, and with -heavy also those of
// scripts/hosts/heavy, which have several hundred MB. Two clients are hosts as well, of the TypeScript SDK and of the
// Go SDK: they start the command of the entry that they read.
//
// A home has a file for each host, and each file has two servers: testdata/server-go, and a command that is not there.
// The host has to be connected with the first and not with the second. The report of the first has to name the
// confinement that doctor names. A file that its host has not written has the same bytes in the end; in a file that its
// host has written meanwhile, the servers are the same.
//
// All of this is done in the world of scripts/testbed/world, from which no host reaches anything. Root tries every
// host twice, once as root and once as uid 12345.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/stage"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// nodeVersion is one that every host runs with: the MCP Inspector asks for 22.19.
const nodeVersion = "22.23.3"

// The folders of pinned packages, and what they are named in the stage.
var packages = map[string]string{
	"npm": "testdata/npm", "light": "scripts/hosts/light", "heavy": "scripts/hosts/heavy",
}

// options are the flags.
type options struct {
	verbose, heavy bool
	inside         string
}

func main() {
	testbed.Nameless() // each user's home is a folder of the stage
	stage.Main("hosts", func(ctx context.Context) (int, error) {
		o := options{}
		flag.BoolVar(&o.verbose, "v", false, "print what the hosts write")
		flag.BoolVar(&o.heavy, "heavy", false, "the hosts of scripts/hosts/heavy, too")
		flag.StringVar(&o.inside, "inside", "", "the stage whose hosts are tried; this program calls itself so")
		flag.Parse()
		if o.inside != "" {
			return world.Tests(nil, func() int { return o.everyone(ctx) }), nil
		}
		return o.prepare(ctx)
	})
}

// needed are the folders of packages that this run installs.
func (o *options) needed() (names []string) {
	names = []string{"npm", "light"}
	if o.heavy {
		names = append(names, "heavy")
	}
	return names
}

// prepare builds and installs what is needed, and has a process of its own try the hosts.
func (o *options) prepare(ctx context.Context) (int, error) {
	s, err := stage.New("mcp-sandbox-hosts-")
	if err != nil {
		return 0, err
	}
	defer s.Remove()
	for _, name := range o.needed() {
		cmd := exec.CommandContext(ctx, "./scripts/npm-cache", packages[name])
		cmd.Dir = s.Checkout
		if err := stage.Run(cmd); err != nil {
			return 0, err
		}
	}
	if _, err := stage.Node(ctx, s.Checkout, nodeVersion); err != nil {
		return 0, err
	}
	if err := s.Go(ctx, "build", "-o", s.Dir+"/", "./cmd/mcp-sandbox", "./testdata/server-go"); err != nil {
		return 0, err
	}
	for _, name := range []string{"", "mcp-sandbox", "server-go"} { // for every user, whatever the umask is
		if err := os.Chmod(filepath.Join(s.Dir, name), 0o755); err != nil {
			return 0, err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, self, "-inside", s.Dir, fmt.Sprintf("-v=%t", o.verbose),
		fmt.Sprintf("-heavy=%t", o.heavy))
	cmd.Cancel = func() error { return nil } // a signal goes to the whole group; who is late is killed
	cmd.WaitDelay = 20 * time.Second
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// show has the installed packages and Node.js in the stage, where every user can enter: the checkout may lie below a
// folder that is closed to others. The mounts of root are those of this world.
func (o *options) show() error {
	root, err := testbed.Root()
	if err != nil {
		return err
	}
	from := map[string]string{"node": filepath.Dir(stage.NodePath(root, nodeVersion))}
	for _, name := range o.needed() {
		dir, err := testbed.CacheDir(root, packages[name])
		if err != nil {
			return err
		}
		from[name] = dir
	}
	for name, dir := range from {
		at := filepath.Join(o.inside, name)
		if os.Getuid() != 0 {
			if err := os.Symlink(dir, at); err != nil {
				return err
			}
			continue
		}
		if err := os.Mkdir(at, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(dir, at, "", unix.MS_BIND, ""); err != nil {
			return &os.PathError{Op: "mount " + dir, Path: at, Err: err}
		}
	}
	client, err := os.ReadFile(filepath.Join(root, "testdata", "client-ts", "session.mjs"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.inside, "session.mjs"), client, 0o644)
}

// everyone tries the hosts as every user of this run, and returns the status to exit with.
func (o *options) everyone(ctx context.Context) int {
	if err := o.show(); err != nil {
		fmt.Fprintln(os.Stderr, "hosts:", err)
		return 2
	}
	users, failed := []int{os.Getuid()}, 0
	if os.Getuid() == 0 {
		users = append(users, testbed.Ordinary)
	}
	for _, uid := range users {
		problems := o.user(ctx, uid)
		for _, p := range problems {
			fmt.Printf("FAIL as uid %d: %v\n", uid, p)
		}
		failed += len(problems)
	}
	fmt.Printf("hosts: %d failed\n", failed)
	return min(failed, 1)
}
