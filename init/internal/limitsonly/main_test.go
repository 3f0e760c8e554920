//go:build darwin || linux || windows

package limitsonly

import (
	"encoding/json"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// shimName is argument 0 of this test binary when it is the shim of a test.
const shimName = "basic.test shim"

// hostName is argument 0 of this test binary when it is a host of its own, which starts the shim and says its process id.
const hostName = "basic.test host"

// removeVariable tells the helper what to take away of the limits.
const removeVariable = "BASIC_TEST_REMOVE"

// hostOf is its main.
func hostOf(words []string) int {
	cmd := testbed.As(shimName, words...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if cmd.Start() != nil {
		return testbed.WrongRole
	}
	os.Stdout.WriteString(strconv.Itoa(cmd.Process.Pid) + "\n")
	cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// TestMain makes the test binary the shim, and each process that it starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && IsHelper(os.Args[1]) {
		alterLimits = func(p *plan, l *limits) { alter(l, order.Lookup(p.Env, removeVariable)) }
		os.Exit(Helper(os.Args[1:]))
	}
	testbed.Roles{hostName: hostOf, shimName: shimOf, serverArg: serve}.Play()
	os.Exit(testbed.Run(m))
}

// A trial is one launch of a test: the policy, what the server does, and what is taken away from what holds it.
type trial struct {
	Policy  policy.Policy `json:"-"`
	Serve   []string      // serve's name and arguments
	Command []string      // another server
	Remove  string        // what alter takes away
	Guard   bool
	Probe   bool
	Verbose bool
	Stored  order.Stored

	Self       string // this binary, where the server may execute it
	Document   []byte // the policy's
	ReportFile string
}

// shimOf is the main of the shim of a trial.
func shimOf(words []string) int {
	var t trial
	if json.Unmarshal([]byte(words[0]), &t) != nil {
		return testbed.WrongRole
	}
	dir, _ := os.Getwd()
	var err error
	if t.Policy, err = policy.Parse(t.Document); err != nil {
		return 71
	}
	written := t.Policy.MinConfinement != ""
	if runtime.GOOS == "linux" && !written && t.Policy.Level == "" {
		t.Policy.MinConfinement = policy.ConfinementLimits // the other systems' default
	}
	command := append([]string{t.Self, serverArg}, t.Serve...)
	if t.Command != nil {
		command = t.Command
	}
	o, err := order.New(t.Policy, policy.Library, command, os.Environ(), dir)
	say := func(line string) { os.Stderr.WriteString("mcp-sandbox: " + line + "\n") }
	if err != nil {
		say(strings.ReplaceAll(err.Error(), "\n", "; "))
		return testbed.WrongRole
	}
	o.MinWritten, o.Stored = written, t.Stored
	o.StdoutGuard, o.Probe, o.Verbose = t.Guard, t.Probe, t.Verbose
	if o.ReportFD, err = platform.CreateReport(t.ReportFile); err != nil {
		say(err.Error())
		return testbed.WrongRole
	}
	if o.Env = append(o.Env, removeVariable+"="+t.Remove); runtime.GOOS == "windows" {
		alterLimits = func(_ *plan, l *limits) { alter(l, t.Remove) }
	}
	return Run(Config{Order: o, Host: -1, Say: say})
}
