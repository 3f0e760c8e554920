package noshim

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// answers is the role of a server that says hello to whatever connects, until its standard input ends.
const answers = "noshim.test answers"

func answersServer([]string) int {
	l, err := net.Listen("tcp", "127.0.0.1:3000")
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("ready")
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			io.WriteString(c, "hello\n")
			c.Close()
		}
	}()
	io.Copy(io.Discard, os.Stdin)
	return 0
}

// A port of a server without a shim is reached through its host, for as long as the server runs.
func TestPublishedPort(t *testing.T) {
	ordinary(t)
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	self := testbed.Self(t, "server")
	p := policy.Policy{Network: policy.Network{Publish: []string{"0:3000"}}, Filesystem: policy.Filesystem{AllowRead: []string{self}}}
	sb, err := launcher.Command(ctx, p, launcher.Target{Path: self, Args: []string{answers}, Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	in, out := pipes(t, sb)
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	report, err := sb.Report(ctx)
	if err != nil || len(report.Publish) != 1 {
		t.Fatal(report, err)
	}
	hosted(t, sb)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	address := strings.TrimSuffix(report.Publish[0], ":3000")
	said := make(chan string, 2)
	for range 2 {
		go func() {
			c, err := net.Dial("tcp", address)
			if err != nil {
				said <- err.Error()
				return
			}
			defer c.Close()
			b, _ := io.ReadAll(c)
			said <- string(b)
		}()
	}
	for range 2 {
		if text := testbed.Receive(t, "the server's word", said); text != "hello\n" {
			t.Errorf("the server says %q", text)
		}
	}
	in.Close()
	_ = sb.Cmd.Wait()
	if _, err := sb.Wait(ctx); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", address); err == nil {
		c.Close()
		t.Error("the port is open behind the end of its server")
	}
}

// pipes are the ends of a server's standard input and output that the host has.
func pipes(t *testing.T, sb *launcher.Sandbox) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	in, err := sb.Cmd.StdinPipe()
	if err == nil {
		out, err = sb.Cmd.StdoutPipe()
	}
	if err != nil {
		t.Fatal(err)
	}
	return in, out
}
