package escape_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

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
	for _, pattern := range []string{"|/bin/touch " + mark + ".%P", s.dir + "/write/core.%P"} {
		if err := os.WriteFile(corePattern, []byte(pattern), 0); err != nil {
			t.Fatal(err)
		}
		program := testbed.Self(t, adversaryName)
		for _, act := range []string{"crash", "core-limit -- crash"} {
			cmd := s.acting(t, l, act)
			out, _ := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != 128+6 || strings.Contains(string(out), "soft 0") {
				t.Errorf("inside, %s: code %d, %s", act, code, out)
			}
		}
		cmd := exec.Command("/bin/sh", "-c", `ulimit -c unlimited; exec "$@"`, "sh", program, "crash")
		if err := cmd.Run(); err == nil {
			t.Error("the control lives")
		}
		dumped := func(pid string) (all []string) {
			for _, start := range []string{mark, s.dir + "/write/core"} {
				some, _ := filepath.Glob(start + "." + pid)
				all = append(all, some...)
			}
			return all
		}
		testbed.Await(t, pattern+": the control's dump", func() bool { return len(dumped(strconv.Itoa(cmd.Process.Pid)+"*")) > 0 })
		all := dumped("*") // the control was the last to crash
		if len(all) != 1 {
			t.Errorf("%q: dumped beside the control %d: %v", pattern, cmd.Process.Pid, all)
		}
		for _, path := range all {
			os.Remove(path)
		}
	}
}
