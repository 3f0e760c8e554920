package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
)

// stageEnv is the variable with the bench's folder, and workEnv that with what an engine writes to.
const stageEnv, workEnv = "MCP_SANDBOX_PLACES_STAGE", "MCP_SANDBOX_PLACES_WORK"

// An engine is Docker's or podman's, in its own namespaces.
type engine struct {
	name  string
	stage string
	work  string   // what it writes
	root  string   // its unpacked packages
	words []string // its command line tool's, before the verb
	flags []string // of every container
}

// inside starts an engine, tries its places and writes what they told.
func inside(ctx context.Context, name, root, only string) error {
	chosen, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if err := arrange(); err != nil {
		return err
	}
	e := &engine{name: name, stage: os.Getenv(stageEnv), work: os.Getenv(workEnv), root: root}
	start, places, try := e.docker, table.Docker, e.try
	switch name {
	case "podman":
		start, places = e.podman, table.Podman
	case gvisor:
		places = table.GVisor
	case "pod":
		places, try = table.Pod, e.pod
	}
	stop, err := start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := e.images(ctx); err != nil {
		return err
	}
	t := told{Versions: e.versions(ctx), Accounts: map[string]table.Account{}}
	g := group{name: name}
	for _, p := range places() {
		if g.chosen(&p, chosen) {
			t.Accounts[p.Name] = try(ctx, &p)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(t)
}

// arrange mounts what an engine needs of its own: a /run, and the control groups of its namespace. Its processes go into a
// group below the namespace's, in which the controllers can then be turned on for containers; cgroups(7).
func arrange() error {
	if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=755"); err != nil {
		return &os.PathError{Op: "mount tmpfs", Path: "/run", Err: err}
	}
	const groups = "/sys/fs/cgroup"
	if err := unix.Mount("cgroup2", groups, "cgroup2", 0, ""); err != nil {
		return &os.PathError{Op: "mount cgroup2", Path: groups, Err: err}
	}
	if err := os.Mkdir(groups+"/engine", 0o755); err != nil {
		return err
	}
	return os.WriteFile(groups+"/engine/cgroup.procs", []byte("0"), 0)
}

// images makes the two images: folders, and links into /usr, which every container has from the machine.
func (e *engine) images(ctx context.Context) error {
	for _, bare := range []bool{false, true} {
		folder := filepath.Join(e.work, image(bare))
		for _, name := range []string{"usr", "proc", "sys", "dev", "etc", "run", "places", "sandbox", "policy", "app", "data"} {
			if err := os.MkdirAll(filepath.Join(folder, name), 0o755); err != nil {
				return err
			}
		}
		for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
			if err := os.Symlink("usr/"+name, filepath.Join(folder, name)); err != nil {
				return err
			}
		}
		if err := run(ctx, "/etc", "sh", "-c", `cp -a alternatives ld.so.* nsswitch.conf java-* "$0"`, filepath.Join(folder, "etc")); err != nil {
			return err
		}
		if !bare {
			if err := complete(folder); err != nil {
				return err
			}
		}
		archive := folder + ".tar"
		if err := run(ctx, "", "tar", "-C", folder, "-cf", archive, "."); err != nil {
			return err
		}
		if err := run(ctx, "", e.words[0], append(e.words[1:], "import", archive, image(bare))...); err != nil {
			return err
		}
	}
	return nil
}

// complete adds to an image what most have.
func complete(folder string) error {
	const passwd = "root:x:0:0:root:/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\nnobody:x:65534:65534::/nonexistent:/bin/false\n"
	home, tmp := filepath.Join(folder, "home", "node"), filepath.Join(folder, "tmp")
	return errors.Join(os.WriteFile(filepath.Join(folder, "etc", "passwd"), []byte(passwd), 0o644),
		os.WriteFile(filepath.Join(folder, "etc", "group"), []byte("root:x:0:\nnode:x:1000:\n"), 0o644),
		os.MkdirAll(home, 0o755), os.Chown(home, 1000, 1000), os.Mkdir(filepath.Join(folder, "root"), 0o700),
		os.Mkdir(tmp, 0o755), os.Chmod(tmp, 0o777|os.ModeSticky))
}

func image(bare bool) string {
	if bare {
		return "places-bare"
	}
	return "places"
}

// containerTime bounds one container: eight launches and four servers.
const containerTime = 5 * time.Minute

// try has a resident live in a container.
func (e *engine) try(ctx context.Context, p *table.Place) (a table.Account) {
	ctx, cancel := context.WithTimeout(ctx, containerTime)
	defer cancel()
	var said bytes.Buffer
	cmd := e.run(ctx, p.Args, image(p.Bare), "/places/bin/resident",
		"-servers", strings.Join(table.Servers(), ","), "-min", string(p.Min), "/places")
	cmd.Stderr = &said
	out, err := cmd.Output()
	if bad := json.Unmarshal(out, &a); bad != nil || err != nil {
		a.Problem += fmt.Sprintf("%v, %v: %s%s", err, bad, out, said.String())
	}
	return a
}

// run is a container of the engine's: its flags, its image and its command.
func (e *engine) run(ctx context.Context, flags []string, words ...string) *exec.Cmd {
	args := append(e.words[1:], "run", "--rm", "--network", "none", "--volume", "/usr:/usr:ro", "--volume", e.stage+":/places:ro")
	return exec.CommandContext(ctx, e.words[0], append(append(append(args, e.flags...), flags...), words...)...)
}

func (e *engine) versions(ctx context.Context) string {
	out, _ := exec.CommandContext(ctx, e.words[0], append(e.words[1:], "version", "--format", "{{.Client.Version}}")...).Output()
	runc, _ := exec.CommandContext(ctx, "runc", "--version").Output()
	first, _, _ := bytes.Cut(runc, []byte("\n"))
	return fmt.Sprintf("%s %s, %s", e.name, bytes.TrimSpace(out), first)
}
