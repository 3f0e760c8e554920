package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// atOnce is how many sandboxes wait at the same time, and edge how many of them are the first and the last ones.
const atOnce, edge = 300, 30

// waits is the server that waits: it says each line again.
const waits = "/bin/cat"

// waiterArg makes this program a Go host that launches a waiting server for each line, PROGRAM and WORD…, and says the
// process id of what it started.
const waiterArg = "-as-waiter"

// A waiter starts servers that wait.
type waiter struct {
	name string
	one  func() (pid int, err error) // until the server answers
	stop func()
}

// waiters are bubblewrap, the programs and the Go hosts.
func waiters(b *bench, lines map[string][]string) (list []*waiter) {
	for _, name := range []string{written, reference} {
		list = append(list, waitIn(name, func() *exec.Cmd {
			return b.command("bwrap", slices.Concat(lines[name], []string{"--", waits})...)
		}))
	}
	list = append(list,
		waitIn("mcp-sandbox-init", func() *exec.Cmd { return b.init("--", waits) }),
		waitIn("mcp-sandbox run", func() *exec.Cmd {
			return b.command(b.path("mcp-sandbox"), "run", "--quiet", "--", waits)
		}))
	for _, h := range hosts(b) {
		list = append(list, waitBy("from "+h.name, b.command(b.path(h.program), waiterArg, waits)))
	}
	return list
}

// waitIn starts commands whose server answers on their standard output.
func waitIn(name string, command func() *exec.Cmd) *waiter {
	var ends []func()
	w := &waiter{name: name}
	w.one = func() (int, error) {
		c := command()
		c.Stderr = os.Stderr
		stop, err := answered(c, "line\n")
		if err != nil {
			return 0, err
		}
		ends = append(ends, stop)
		return c.Process.Pid, nil
	}
	w.stop = func() {
		for _, end := range ends {
			end()
		}
	}
	return w
}

// answered starts a command, and waits until its server has answered a line, with the same line or as initialize.
func answered(c *exec.Cmd, line string) (stop func(), err error) {
	in, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	io.WriteString(in, line)
	if said, err := bufio.NewReader(out).ReadString('\n'); err != nil ||
		said != line && !strings.Contains(said, `"serverInfo"`) {
		return nil, errors.Join(fmt.Errorf("%s answers %q", c.Path, said), err)
	}
	return func() { in.Close(); c.Wait() }, nil
}

// waitBy has a running Go host start them.
func waitBy(name string, host *exec.Cmd) *waiter {
	host.Stderr = os.Stderr
	in, err := host.StdinPipe()
	out, bad := host.StdoutPipe()
	if err = errors.Join(err, bad); err == nil {
		err = host.Start()
	}
	answers := bufio.NewReader(out)
	one := func() (int, error) {
		if err != nil {
			return 0, err
		}
		io.WriteString(in, "\n")
		line, err := answers.ReadString('\n')
		if err != nil {
			return 0, err
		}
		return strconv.Atoi(strings.TrimSpace(line))
	}
	stop := func() {
		if err == nil {
			in.Close()
			host.Wait()
		}
	}
	return &waiter{name, one, stop}
}

// waiterMain is a Go host whose servers wait until it ends.
func waiterMain(command []string) error {
	var ends []func()
	line := "line\n"
	if command[0] != waits {
		line = initialize
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		sb, err := launcher.Command(context.Background(), policy.Policy{}, launcher.Target{Path: command[0],
			Args: command[1:], Dir: "/"})
		if err != nil {
			return err
		}
		stop, err := answered(sb.Cmd, line)
		if err != nil {
			return err
		}
		ends = append(ends, stop)
		fmt.Println(sb.Cmd.Process.Pid)
	}
	for _, end := range ends {
		end()
	}
	return nil
}

// waiting prints what the started process of a waiting sandbox takes, and the times of many that wait at once.
func (b *bench) waiting(lines map[string][]string) error {
	fmt.Printf("\n| a waiting %s | PSS kB | private dirty kB | threads | first %d of %d, ms | last %d, ms |\n", waits,
		edge, atOnce, edge)
	fmt.Println("|---|---|---|---|---|---|")
	for _, w := range waiters(b, lines) {
		first, last := new(variant), new(variant)
		var memory [3]int
		for i := range atOnce {
			start := time.Now()
			pid, err := w.one()
			took := time.Since(start)
			if i < edge {
				first.times = append(first.times, took)
			} else if i >= atOnce-edge {
				last.times = append(last.times, took)
			}
			if err == nil && i == 0 {
				memory, err = memoryOf(pid)
			}
			if err != nil {
				w.stop()
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
		w.stop()
		fmt.Printf("| %s | %d | %d | %d | %.2f | %.2f |\n", w.name, memory[0], memory[1], memory[2],
			first.quantile(0.5), last.quantile(0.5))
	}
	return nil
}

// memoryOf is what a process takes by its own: PSS and private dirty memory in kB, and its threads.
func memoryOf(pid int) (m [3]int, err error) {
	dir := "/proc/" + strconv.Itoa(pid)
	text, err := os.ReadFile(dir + "/smaps_rollup")
	if err != nil {
		return m, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if i := slices.Index([]string{"Pss", "Private_Dirty"}, name); i >= 0 {
			m[i], err = strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")))
		}
	}
	threads, bad := filepath.Glob(dir + "/task/*")
	m[2] = len(threads)
	return m, errors.Join(err, bad)
}
