package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/places/client"
	"github.com/security-mcp/mcp-sandbox/scripts/places/manifest"
	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// A served is the Pod that serves a team, and what came of it.
type served struct {
	*engine
	*manifest.Manifest
	*table.Session
}

// hosts are those that the Pod's names lead to, by a route of its own network. The policy's list has the first alone.
var hosts = [...]struct{ name, at string }{{"api.example.com", "203.0.113.9"}, {"other.example.com", "203.0.113.10"}}

// token makes a token and the Secret with it.
func (e *engine) token(ctx context.Context) (token string, secret map[string]string, err error) {
	var said strings.Builder
	cmd := exec.CommandContext(ctx, filepath.Join(e.stage, "bin", "mcp-sandbox-serve"), "token", "ann")
	cmd.Stderr = &said
	line, err := cmd.Output()
	return strings.TrimSpace(said.String()), map[string]string{"tokens": string(line)}, err
}

// try starts the Pod's own command, asks as clients and a kubelet do, and has the Pod end.
func (s served) try(ctx context.Context, flags []string, token string) error {
	c := &s.Pod.Spec.Containers[0]
	name := s.Pod.Metadata.Name
	for _, h := range hosts {
		flags = append(flags, "--add-host", h.name+":"+h.at)
	}
	cmd := s.own(ctx, c, append(flags, "--name", name))
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), "msg=listening") {
		s.Stderr += lines.Text() + "\n"
	}
	said := make(chan string)
	go func() {
		text, _ := io.ReadAll(log)
		said <- string(text)
	}()
	err = s.ask(ctx, c, token)
	grace := strconv.Itoa(s.Pod.Spec.TerminationGracePeriodSeconds)
	stop := s.command(ctx, "stop", "--time", grace, name).Run()
	s.Stderr += <-said
	_, after, _ := strings.Cut(s.Stderr, "principal=ann")
	_, after, _ = strings.Cut(after, "confinement=")
	s.Confinement, _, _ = strings.Cut(after, " ")
	return errors.Join(err, stop, cmd.Wait()) // with 0, after a drain
}

// ask is the kubelet and a client, in the Pod's network.
func (s served) ask(ctx context.Context, c *manifest.Container, token string) error {
	out, err := s.command(ctx, "inspect", "--format", "{{.State.Pid}}", s.Pod.Metadata.Name).Output()
	if err != nil {
		return err
	}
	there := network(filepath.Join("/proc", strings.TrimSpace(string(out)), "ns/net"))
	web := &http.Client{Transport: bearer{token, &http.Transport{DialContext: there.dial, DisableKeepAlives: true}}}
	asked := []string{probe(c.StartupProbe), probe(c.ReadinessProbe), probe(c.LivenessProbe)}
	for _, h := range hosts {
		l, err := there.listen(h.at)
		if err != nil {
			return err
		}
		defer l.Close()
		say := func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, h.name) }
		go http.Serve(l, http.HandlerFunc(say))
		asked = append(asked, "http://"+h.at) // both are there for a client that no sandbox holds
	}
	for _, url := range asked {
		a, err := web.Get(url)
		if err != nil {
			return err
		}
		if a.Body.Close(); a.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s", url, a.Status)
		}
	}
	to := &mcp.StreamableClientTransport{Endpoint: "http://127.0.0.1:8080/mcp", HTTPClient: web}
	s.Tools, err = client.Talk(ctx, to,
		client.Call{Tool: "fetch", Text: "http://" + hosts[0].name, Want: hosts[0].name},
		client.Call{Tool: "fetch", Text: "http://" + hosts[1].name},
		client.Call{Tool: "fetch", Text: "http://" + hosts[1].at})
	return err
}

func probe(p manifest.Probe) string {
	return fmt.Sprintf("http://127.0.0.1:%d%s", p.HTTPGet.Port, p.HTTPGet.Path)
}

// A bearer adds a token.
type bearer struct {
	token string
	*http.Transport
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.Transport.RoundTrip(r)
}

// A network is the file of a network namespace.
type network string

// do calls f in the namespace, with whose thread that is over.
func (n network) do(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		file, err := os.Open(string(n))
		if err == nil {
			err = unix.Setns(int(file.Fd()), unix.CLONE_NEWNET)
			file.Close()
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}

// listen makes an address local, and listens there for HTTP.
func (n network) listen(at string) (l net.Listener, err error) {
	err = n.do(func() (err error) {
		if err = world.Route(unix.RTN_LOCAL, at+"/32", "127.0.0.1").Send(); err == nil {
			l, err = net.Listen("tcp", at+":80")
		}
		return err
	})
	return l, err
}

func (n network) dial(ctx context.Context, kind, address string) (c net.Conn, err error) {
	err = n.do(func() (err error) {
		c, err = new(net.Dialer).DialContext(ctx, kind, address)
		return err
	})
	return c, err
}
