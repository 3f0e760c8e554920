package reach

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func TestMain(m *testing.M) {
	testbed.Machines()
	os.Exit(testbed.Run(m))
}

// trial is one on this machine.
func trial(t *testing.T, flags ...string) Trial {
	t.Helper()
	return Trial{Launcher: testbed.Command(t, "mcp-sandbox-init"), Probe: testbed.Program(t, "probe"), Words: flags,
		Command: func(argv ...string) *exec.Cmd { return exec.CommandContext(t.Context(), argv[0], argv[1:]...) }}
}

// A machine that gives full confinement gives everything that a trial compares.
func TestTrial(t *testing.T) {
	found, err := trial(t, "--min-confinement", "full").Run()
	if err != nil || found.Confinement != "full" || found.Wrong != nil {
		t.Fatalf("%+v, %v", found, err)
	}
}

// A machine without user namespaces publishes no port, and opens the hosts all the same.
func TestTrialReduced(t *testing.T) {
	w := trial(t)
	plain := w.Command
	w.Command = func(argv ...string) *exec.Cmd {
		cmd := plain(argv...)
		testbed.Machine{Lacks: []testbed.Lack{testbed.NoClone}}.Put(t, cmd)
		return cmd
	}
	found, err := w.Run()
	if err != nil || found.Confinement != "reduced" || found.Wrong != nil {
		t.Fatalf("%+v, %v", found, err)
	}
}

// A trial whose launch is refused has the record, and compares nothing.
func TestRefused(t *testing.T) {
	found, err := trial(t, "--level", "network").Run()
	if err != nil || found.Confinement != "" || !strings.Contains(found.Refused, "allowedDomains") || found.Wrong != nil {
		t.Errorf("%+v, %v", found, err)
	}
}
