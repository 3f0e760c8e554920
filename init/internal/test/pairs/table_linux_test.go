package pairs_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// An attack is one act of a server.
type attack struct {
	name    string
	act     func(*server) string
	want    string                       // the act's result
	control string                       // the results without a launcher, of which one is to come
	keeps   bool                         // with the result ok the shim keeps descriptors: before Linux 6.16
	outside func(t *testing.T, w *world) // done by the test while the act's descriptors are open
}

const same = "" // the control is as the attack

// A said is a line of a server's.
type said struct {
	Text string
	Left int // descriptors that the server has more than before the act
}

// doc is the policy: every port of the world but one.
func (w *world) doc() string {
	var ports []string
	for _, port := range []int{w.Echo, w.Dead, w.Full, w.Resets} {
		ports = append(ports, at("localhost", port))
	}
	b, _ := json.Marshal(map[string]any{"version": 1,
		"network":    map[string]any{"allowedDomains": ports},
		"limits":     map[string]any{"openFiles": 4500},
		"filesystem": map[string]any{"allowWrite": []string{w.Dir}}})
	return string(b)
}

func at(host string, port int) string { return host + ":" + strconv.Itoa(port) }

// command is a server in the world.
func (w *world) command(t *testing.T) []string {
	t.Helper()
	text, _ := json.Marshal(w.places)
	return []string{testbed.Self(t, "server"), serverIs, string(text)}
}

// launched is a launch of a server in confinement reduced.
func (w *world) launched(t *testing.T) *exec.Cmd {
	t.Helper()
	w.Launched = true
	cmd := host.Launch{Policy: w.doc(), Command: w.command(t), Env: host.Env(t)}.Cmd(t)
	testbed.Machine{Lacks: []testbed.Lack{testbed.NoClone}}.Put(t, cmd)
	return cmd
}

// A session is a server that is asked for attacks.
type session struct {
	*testing.T
	world  *world
	in     io.Writer
	out    *bufio.Reader
	shim   int // 0: none
	server int // its process, if there is a shim
	base   int // the shim's descriptors between attacks
	asked  string
}

func (s *session) hear() (line said) {
	s.Helper()
	text, came := make(chan []byte, 1), s.out
	go func() {
		b, _ := came.ReadBytes('\n')
		text <- b
	}()
	b := testbed.Receive(s.T, "the server's answer to "+s.asked, text)
	if err := json.Unmarshal(b, &line); err != nil {
		s.Fatalf("%s: %v: %q", s.asked, err, b)
	}
	return line
}

// ask has the server make an attack, and compares.
func (s *session) ask(a *attack) {
	s.Helper()
	s.asked = a.name
	fmt.Fprintln(s.in, a.name)
	text := s.hear().Text
	want := a.want
	if s.shim == 0 && a.control != same {
		want = a.control
	}
	if !slices.Contains(strings.Split(want, "|"), text) {
		s.Errorf("%s, launched %v: %q, not %q", a.name, s.shim != 0, text, want)
	}
	if a.outside != nil && s.shim != 0 {
		a.outside(s.T, s.world)
	}
	fmt.Fprintln(s.in)
	if left := s.hear().Left; left != 0 {
		s.Errorf("%s, launched %v: the server has %d more descriptors", a.name, s.shim != 0, left)
	}
	if a.keeps && text == "ok" {
		s.base += 4 // an end and a connection, for datagrams none
		return
	}
	if s.shim != 0 && !testbed.Comes(func() bool { return descriptors(s.T, s.shim) <= s.base }) {
		s.Errorf("%s: the shim has %d descriptors, %d before", a.name, descriptors(s.T, s.shim), s.base)
		s.base = descriptors(s.T, s.shim)
	}
}

// descriptors is how many a process has, pipes apart: the relay keeps some.
func descriptors(t *testing.T, pid int) (n int) {
	t.Helper()
	dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Error(err)
	}
	for _, e := range all {
		if link, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && !strings.HasPrefix(link, "pipe:") {
			n++
		}
	}
	return n
}

// launch starts a server in the world.
func (w *world) launch(t *testing.T) (*host.Run, *session) {
	t.Helper()
	cmd := w.launched(t)
	run := host.Talk(t, cmd)
	e := run.Began()
	if e.Confinement != "reduced" {
		t.Fatalf("confinement %s\n%s", e.Confinement, &run.Stderr)
	}
	s := &session{T: t, world: w, in: run.Stdin, out: run.Said, shim: cmd.Process.Pid, server: e.PID}
	s.hear()
	output := filepath.Join("/proc", strconv.Itoa(s.shim), "fd/1")
	testbed.Await(t, "the null device in place of the shim's output, which is no pipe", func() bool {
		link, _ := os.Readlink(output)
		return link == os.DevNull
	})
	return run, s
}

// sandboxed has a launched server make attacks, and returns what the launch has left.
func sandboxed(t *testing.T, attacks []attack) *host.Run {
	t.Helper()
	w := newWorld(t)
	run, s := w.launch(t)
	s.base = descriptors(t, s.shim)
	for i := range attacks {
		s.ask(&attacks[i])
	}
	run.Stdin.Close()
	run.Ran()
	if run.Code != 0 {
		t.Errorf("code %d\n%s", run.Code, &run.Stderr)
	}
	if all := w.reached(); len(all) > 0 {
		t.Error("reached:", all)
	}
	return run
}

// unsandboxed has a server without a launcher make the same attacks, for control.
func unsandboxed(t *testing.T, attacks []attack) *world {
	t.Helper()
	w := newWorld(t)
	command := w.command(t)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	testbed.Background(t, cmd)
	s := &session{T: t, world: w, in: in, out: bufio.NewReader(out)}
	s.hear()
	for i := range attacks {
		s.ask(&attacks[i])
	}
	in.Close()
	return w
}
