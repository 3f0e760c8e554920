// Package reach launches a probe that may reach two hosts and has a published port, and compares what the probe reached
// with what it was to reach. It is for machines and places in which nobody can make a world of package world.
//
//	found, err := reach.Trial{Command: command, Launcher: launcher, Probe: probe}.Run()
//
// The allowed name is reached by a proxy of the trial's own: a place may have no name server and no host but itself.
package reach

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// What the policy allows, and what it does not. Nobody has the addresses: RFC 5737.
const (
	allowed, other = "reached.example.com", "other.example.com"
	address        = "203.0.113.9"
	port           = "7"
	served         = "3000" // published
	greeting       = "from outside"
)

// A Trial is one launch.
type Trial struct {
	Command  func(argv ...string) *exec.Cmd // not started
	Launcher string                         // mcp-sandbox-init
	Words    []string                       // more of its flags
	Probe    string
}

// Found is what a trial came to.
type Found struct {
	Confinement string   // "" if the launch was refused
	Refused     string   // the refusal's record
	Wrong       []string // the differences from what has to come of a launch in that confinement
}

// A launch is what Run observes of it.
type launch struct {
	enforced  *order.Enforced
	refused   string
	denied    []order.Denied
	results   []attempt.Result
	published string // the server's answer on the published port
	proxied   string // what the proxy was asked for
}

// Run launches, and waits for the end; where no port can be published a second time without. The error is one of the
// trial itself.
func (t Trial) Run() (Found, error) {
	f, err := t.run([]string{"0:" + served})
	if strings.Contains(f.Refused, "network.publish") {
		f, err = t.run([]string{})
	}
	return f, err
}

func (t Trial) run(publish []string) (Found, error) {
	h, without := listen()
	defer h.close()
	network := map[string]any{"allowedDomains": []string{allowed + ":" + port, "localhost:" + h.port()},
		"publish": publish}
	policy, err := json.Marshal(map[string]any{"version": 1, "network": network,
		"filesystem": map[string]any{"allowRead": []string{t.Probe}}})
	if err != nil {
		return Found{}, err
	}
	argv := append([]string{t.Launcher, "--policy-fd", "3", "--report-fd", "4"}, t.Words...)
	argv = append(append(argv, "--", t.Probe), probeArgs(h.port())...)
	l, stderr, err := run(t.Command(argv...), h, policy)
	if err != nil {
		return Found{}, fmt.Errorf("%w\n%s", err, stderr)
	}
	f := Found{Refused: l.refused}
	if l.enforced != nil {
		f.Confinement = l.enforced.Confinement
		if f.Wrong = l.differences(h.port()); without != nil {
			f.Wrong = append(f.Wrong, without.Error())
		}
	}
	return f, nil
}

func run(cmd *exec.Cmd, h *hosts, policy []byte) (l *launch, stderr *bytes.Buffer, err error) {
	var stdout bytes.Buffer
	stderr = new(bytes.Buffer)
	given, toPolicy, err := os.Pipe()
	if err != nil {
		return nil, stderr, err
	}
	report, toReport, err := os.Pipe()
	if err != nil {
		return nil, stderr, errors.Join(err, given.Close(), toPolicy.Close())
	}
	defer report.Close()
	cmd.ExtraFiles, cmd.Stdout, cmd.Stderr = []*os.File{given, toReport}, &stdout, stderr
	cmd.Env = append(cmd.Environ(), "https_proxy=http://127.0.0.1:"+portOf(h.proxy), "no_proxy=")
	err = cmd.Start()
	if err == nil {
		_, err = toPolicy.Write(policy) // less than a pipe holds
	}
	err = errors.Join(err, given.Close(), toPolicy.Close(), toReport.Close())
	if err != nil {
		return nil, stderr, err
	}
	l = new(launch)
	err = l.follow(report)
	if ended := cmd.Wait(); ended != nil && !errors.As(ended, new(*exec.ExitError)) {
		err = errors.Join(err, ended)
	}
	if err == nil {
		l.results, err = attempt.Read(&stdout)
	}
	l.proxied = h.asked()
	return l, stderr, err
}

// follow reads the report to its end, which is the launcher's, and asks the server on its published port meanwhile.
func (l *launch) follow(report *os.File) error {
	over, answer := make(chan struct{}), make(chan string, 1)
	defer func() {
		if close(over); l.enforced != nil && len(l.enforced.Publish) == 1 {
			l.published = <-answer
		}
	}()
	lines := bufio.NewScanner(report)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var head struct{ Event string }
		err := json.Unmarshal(lines.Bytes(), &head)
		switch {
		case err != nil:
		case head.Event == "enforced":
			l.enforced = new(order.Enforced)
			if err = json.Unmarshal(lines.Bytes(), l.enforced); err == nil && len(l.enforced.Publish) == 1 {
				at := l.enforced.Publish[0]
				go func() { answer <- askPublished(at[:len(at)-len(":"+served)], over) }()
			}
		case head.Event == "refused":
			l.refused = lines.Text()
		case head.Event == "denied":
			var d order.Denied
			err = json.Unmarshal(lines.Bytes(), &d)
			l.denied = append(l.denied, d)
		}
		if err != nil {
			return fmt.Errorf("report: %q: %w", lines.Text(), err)
		}
	}
	return lines.Err()
}

// askPublished says a line to the server, again and again until it listens, and returns what comes back.
func askPublished(at string, over <-chan struct{}) string {
	for {
		if c, err := net.Dial("tcp", at); err == nil {
			fmt.Fprintln(c, greeting)
			line, err := bufio.NewReader(c).ReadString('\n')
			c.Close()
			if err == nil {
				return strings.TrimSuffix(line, "\n")
			}
		}
		select {
		case <-over:
			return ""
		case <-time.After(20 * time.Millisecond):
		}
	}
}
