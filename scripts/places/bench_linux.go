package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A bench is what all places share: the checkout, and a folder of programs, servers and a policy.
//
//	STAGE/bin           the programs of the project, the resident, and what this command starts
//	STAGE/servers       what the policy grants
//	STAGE/policy.json
//	STAGE/secret        what it does not
type bench struct {
	checkout, stage, cache string
	verbose                bool
}

const policyText = `{"version": 1, "filesystem": {"allowRead": ["servers"]}}
`

// temporary is how the names of its folders begin.
const temporary = "mcp-sandbox-places-"

func newBench(ctx context.Context, verbose bool) (*bench, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("engines and machines are started by root: run it as root")
	}
	for _, program := range []string{"node", "python3", "java", "javac", "unshare"} {
		if _, err := os.Stat("/usr/bin/" + program); err != nil {
			return nil, fmt.Errorf("%w: a place has the machine's /usr, so the program must be there", err)
		}
	}
	root, err := testbed.Root()
	if err != nil {
		return nil, err
	}
	stage, err := os.MkdirTemp("", temporary)
	if err != nil {
		return nil, err
	}
	b := &bench{checkout: root, stage: stage, cache: filepath.Join(root, ".cache", "places"), verbose: verbose}
	if err := b.build(ctx); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.stage) }

func (b *bench) build(ctx context.Context) error {
	servers := filepath.Join(b.stage, "servers")
	if err := errors.Join(os.Chmod(b.stage, 0o755), os.Mkdir(servers, 0o755)); err != nil {
		return err
	}
	programs := []string{"./cmd/...", "./scripts/places/resident", "./scripts/places/units", "./scripts/kernels"}
	if err := b.goBuild(ctx, "bin/", programs...); err != nil {
		return err
	}
	if err := b.goBuild(ctx, "servers/", "./testdata/probe", "./testdata/server-go"); err != nil {
		return err
	}
	for _, name := range []string{"server-python", "server-node"} {
		source := os.DirFS(filepath.Join(b.checkout, "testdata", name))
		if err := os.CopyFS(filepath.Join(servers, name), source); err != nil {
			return err
		}
	}
	sources, err := filepath.Glob(filepath.Join(b.checkout, "testdata", "server-java", "*.java"))
	if err != nil {
		return err
	}
	options := []string{"-encoding", "UTF-8", "-d", filepath.Join(servers, "server-java")}
	if err := runProgram(ctx, b.checkout, "/usr/bin/javac", append(options, sources...)...); err != nil {
		return err
	}
	files := map[string]string{"policy.json": policyText, "secret": "secret\n", "servers/granted": "granted\n"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(b.stage, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return runProgram(ctx, "", "chmod", "-R", "a+rX", b.stage) // whatever the umask is
}

func (b *bench) goBuild(ctx context.Context, to string, packages ...string) error {
	args := []string{"CGO_ENABLED=0", "./scripts/go", "build", "-trimpath", "-o", filepath.Join(b.stage, to) + "/"}
	return runProgram(ctx, b.checkout, "env", append(args, packages...)...)
}

// runProgram runs a program whose output is of interest only if it fails.
func runProgram(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", name, args, err, out)
	}
	return nil
}
