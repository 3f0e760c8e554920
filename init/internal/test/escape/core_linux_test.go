package escape_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

const corePattern = "/proc/sys/kernel/core_pattern"

// coreEnv says that this machine is a throw-away one, whose core_pattern may be set.
const coreEnv = "MCP_SANDBOX_TEST_CORE"

// coreDump: a server that asks for core dumps by every call, and crashes, starts no program of the host. The control's
// crash starts it.
func coreDump(t *testing.T, l level) {
	if !root() {
		t.Skip("only root can set core_pattern")
	}
	if os.Getenv(coreEnv) == "" {
		testbed.Missing(t, "core_pattern", "core_pattern is the machine's: only in a virtual machine, with "+coreEnv)
	}
	before, err := os.ReadFile(corePattern)
	if err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile(corePattern, before, 0)
	s := stage(t)
	mark := s.dir + "/home/dumped"
	for _, pattern := range []string{"|/bin/touch " + mark, s.dir + "/write/core"} {
		if err := os.WriteFile(corePattern, []byte(pattern), 0); err != nil {
			t.Fatal(err)
		}
		program := adversary(t)
		dumped := func(wait time.Duration) bool {
			for until := time.Now().Add(wait); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
				for _, path := range []string{mark, s.dir + "/write/core"} {
					if os.Remove(path) == nil {
						return true
					}
				}
			}
			return false
		}
		for _, act := range []string{"crash", "core-limit -- crash"} {
			cmd := s.acting(t, l, act)
			out, _ := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != 128+6 || strings.Contains(string(out), "soft 0") {
				t.Errorf("inside, %s: code %d, %s", act, code, out)
			}
			if dumped(500 * time.Millisecond) {
				t.Errorf("%q, %s: dumped", pattern, act)
			}
		}
		cmd := exec.Command("/bin/sh", "-c", `ulimit -c unlimited; exec "$@"`, "sh", program, "crash")
		if err := cmd.Run(); err == nil {
			t.Error("the control lives")
		}
		if !dumped(testbed.Patience()) {
			t.Errorf("%q: the control was not dumped", pattern)
		}
	}
}
