package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/readme"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A text that is written and read at once.
type text struct {
	mu  sync.Mutex
	all bytes.Buffer // not embedded: its ReadFrom would take no lock
}

func (b *text) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *text) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

// Each line of docs/serve.md is typed as it stands, but for its ports, and on loopback. What serves goes on until the block's end.
func TestDocument(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"curl", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			testbed.Missing(t, tool, "no "+tool)
		}
	}
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile(filepath.Join(root, "docs", "serve.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(doc), "0.0.0.0:", "127.0.0.1:")
	for _, port := range []string{"8080", "8443", "9090"} {
		free := ""
		testbed.Await(t, "a free port that the kernel gives nobody else", func() bool { // ip_local_port_range begins at 32768
			free = strconv.Itoa(20000 + rand.IntN(12000))
			l, err := net.Listen("tcp", "127.0.0.1:"+free)
			if err == nil {
				l.Close()
			}
			return err == nil
		})
		page = strings.ReplaceAll(page, ":"+port, ":"+free)
		if port == "8080" { // the one without --listen
			page = strings.Replace(page, "\nmcp-sandbox-serve --allow", "\nmcp-sandbox-serve --listen 127.0.0.1:"+free+" --allow", 1)
		}
	}
	home := testbed.Folder(t)
	for _, dir := range []string{"notes", "servers", "bin"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	os.Chmod(home, 0o755)
	for name, program := range map[string]string{"servers/notes-server": testbed.Program(t, "server-go"),
		"bin/mcp-sandbox-serve": testbed.Command(t, "mcp-sandbox-serve"), "bin/mcp-sandbox-init": testbed.Command(t, "mcp-sandbox-init")} {
		copyOf(t, program, filepath.Join(home, name))
	}
	blocks := readme.Blocks(page, "sh")
	if len(blocks) != 3 {
		t.Fatalf("%d blocks", len(blocks))
	}
	for _, block := range blocks {
		typeBlock(t, home, block)
	}
}

func typeBlock(t *testing.T, home, block string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), testbed.Patience())
	defer stop()
	for line := range strings.Lines(block) {
		cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+line)
		if strings.HasPrefix(line, "echo") || strings.Contains(line, "token ") {
			cmd.Args[2] = line
		}
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "PATH=" + home + "/bin:/usr/bin:/bin", testbed.NoWait}
		if !strings.HasPrefix(line, "mcp-sandbox-serve -") {
			if out, err := cmd.CombinedOutput(); err != nil || strings.HasPrefix(line, "curl") && len(out) == 0 {
				t.Errorf("%s: %v %s", line, err, out)
			}
			continue
		}
		var log text
		cmd.Stderr = &log
		cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGINT) }
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			cmd.Process.Signal(syscall.SIGTERM)
			cmd.Process.Signal(syscall.SIGINT) // a drain waits longer
			cmd.Wait()
		}()
		testbed.Await(t, "the address in the log", func() bool { return strings.Contains(log.String(), "listening") })
	}
}
