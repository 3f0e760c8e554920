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
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
	"github.com/security-mcp/mcp-sandbox/scripts/stage"
)

// An engine is Docker's or podman's, in its own namespaces.
type engine struct {
	name  string
	stage string   // what containers see as /places
	work  string   // what the engine writes
	root  string   // the engine's unpacked packages
	words []string // of the engine's command line tool, before the verb
	flags []string // of every container
}

// tryAll starts an engine, tries its places and writes the outcome to standard output. The engine and what is chosen of
// the places are this program's arguments.
func tryAll(ctx context.Context) (int, error) {
	e := &engine{name: os.Args[2], root: os.Args[3], stage: os.Args[4], work: os.Args[5]}
	chosen, err := regexp.Compile(os.Args[6])
	if err != nil {
		return 0, err
	}
	start, try := e.docker, e.try
	switch e.name {
	case table.Podman:
		start = e.podman
	case table.Pod:
		try = e.pod
	}
	stop, err := start(ctx)
	if err != nil {
		return 0, err
	}
	defer stop()
	if err := e.images(ctx); err != nil {
		return 0, err
	}
	o := outcome{Versions: e.versions(ctx), Accounts: map[string]table.Account{}}
	for _, p := range table.Chosen(e.name, chosen) {
		o.Accounts[p.Name] = try(ctx, &p)
	}
	return 0, json.NewEncoder(os.Stdout).Encode(o)
}

// makeImage fills a folder with links into /usr, which every container has from the machine. BARE is false for an
// image that has what most have.
const makeImage = `mkdir -p usr proc sys dev etc run places sandbox policy app data
for name in bin sbin lib lib64; do ln -s "usr/$name" "$name"; done
cp -a /etc/alternatives /etc/ld.so.* /etc/nsswitch.conf /etc/java-* etc
if [ "$BARE" = false ]; then
	printf '%s\n' root:x:0:0:root:/root:/bin/sh node:x:1000:1000::/home/node:/bin/sh \
		nobody:x:65534:65534::/nonexistent:/bin/false >etc/passwd
	printf '%s\n' root:x:0: node:x:1000: >etc/group
	mkdir -p home/node
	chown 1000:1000 home/node
	mkdir -m 700 root
	mkdir -m 1777 tmp
fi
tar -cf "$PWD.tar" .`

// images makes the two images.
func (e *engine) images(ctx context.Context) error {
	for _, bare := range []bool{false, true} {
		folder := filepath.Join(e.work, image(bare))
		if err := os.Mkdir(folder, 0o755); err != nil {
			return err
		}
		cmd := exec.CommandContext(ctx, "/bin/sh", "-euc", makeImage)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), fmt.Sprint("BARE=", bare))
		if err := stage.Run(cmd); err != nil {
			return err
		}
		archive := folder + ".tar" // which makeImage wrote
		if err := stage.Run(e.command(ctx, "import", archive, image(bare))); err != nil {
			return err
		}
	}
	return nil
}

func image(bare bool) string {
	if bare {
		return "places-bare"
	}
	return "places"
}

// containerTime bounds one container: eight launches and four servers.
const containerTime = 5 * time.Minute

// try runs a resident in a container.
func (e *engine) try(ctx context.Context, p *table.Place) (a table.Account) {
	ctx, cancel := context.WithTimeout(ctx, containerTime)
	defer cancel()
	var stderr bytes.Buffer
	flags := strings.Fields(strings.Join(p.Args, " "))
	cmd := e.container(ctx, flags, image(p.Bare), "/places/bin/resident",
		"-servers", strings.Join(table.Servers(), ","), "-min", string(p.Min), "/places")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if bad := json.Unmarshal(out, &a); bad != nil || err != nil {
		a.Problem += fmt.Sprintf("%v, %v: %s%s", err, bad, out, stderr.String())
	}
	return a
}

// container is a container of the engine's: its flags, its image and its command.
func (e *engine) container(ctx context.Context, flags []string, words ...string) *exec.Cmd {
	args := []string{"run", "--rm", "--network", "none",
		"--volume", "/usr:/usr:ro", "--volume", e.stage + ":/places:ro"}
	return e.command(ctx, slices.Concat(args, e.flags, flags, words)...)
}

// command is the engine's command line tool.
func (e *engine) command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, e.words[0], slices.Concat(e.words[1:], args)...)
}

func (e *engine) versions(ctx context.Context) string {
	out, _ := e.command(ctx, "version", "--format", "{{.Client.Version}}").Output()
	runc, _ := exec.CommandContext(ctx, "runc", "--version").Output()
	first, _, _ := bytes.Cut(runc, []byte("\n"))
	return fmt.Sprintf("%s %s, %s", e.name, bytes.TrimSpace(out), first)
}

// paths makes the engine's programs and libraries those of its packages.
func (e *engine) paths() error {
	path := e.root + "/usr/sbin:" + e.root + "/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin"
	libraries := e.root + "/usr/lib/x86_64-linux-gnu"
	return errors.Join(os.Setenv("PATH", path), os.Setenv("LD_LIBRARY_PATH", libraries), os.Setenv("HOME", e.work),
		os.Unsetenv("XDG_RUNTIME_DIR"))
}
