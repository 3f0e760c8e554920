package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/security-mcp/mcp-sandbox/scripts/stage"
)

// A bench is what all places share: a stage of programs, servers and a policy.
//
//	STAGE/bin           the programs of the project, the resident, and what this command starts
//	STAGE/servers       what the policy grants
//	STAGE/policy.json
//	STAGE/secret        what it does not
type bench struct {
	*stage.Stage
	verbose bool
}

// makeServers is a shell script that fills a stage with all that is not built of Go, for every uid whatever the umask.
const makeServers = `cp -r server-python server-node "$0/servers"
javac -encoding UTF-8 -d "$0/servers/server-java" server-java/*.java
echo '{"version": 1, "filesystem": {"allowRead": ["servers"]}}' >"$0/policy.json"
echo secret >"$0/secret"
echo granted >"$0/servers/granted"
chmod -R a+rX "$0"`

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
	s, err := stage.New(temporary)
	if err != nil {
		return nil, err
	}
	b := &bench{s, verbose}
	if err := b.build(ctx); err != nil {
		b.Remove()
		return nil, err
	}
	return b, nil
}

func (b *bench) build(ctx context.Context) error {
	if err := b.Go(ctx, "build", "-o", b.Dir+"/bin/",
		"./cmd/...", "./scripts/places/resident", "./scripts/places/units", "./scripts/kernels"); err != nil {
		return err
	}
	servers := b.Dir + "/servers/"
	if err := b.Go(ctx, "build", "-o", servers, "./testdata/probe", "./testdata/server-go"); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-euc", makeServers, b.Dir)
	cmd.Dir = b.Checkout + "/testdata"
	return stage.Run(cmd)
}
