package matrix

import (
	"encoding/json"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// A Suite is a package's tests, or those of them that a pattern names: a machine without KVM is slow. What is behind a
// slash names subtests, of every test before it.
type Suite struct {
	Package string // its folder below the checkout
	Run     string // as -test.run
}

// suites are those of a whole machine. What only root can stage skips itself for others, and a skip fails a row. What
// takes long is for a user, who has fewer rights to lose.
func suites(uid int) []Suite {
	stories := "a_signal_|an_i386|private_folders|a_folder_that_the_host|a_denied_file_that|descriptors_that|" +
		"a_log_file|a_file_on|a_socket_on|a_pipe_on|a_terminal_on|TCP,_UDP"
	all := []Suite{
		{"platform", "."},
		{"init/internal/program", "TestDemands|TestExitStatus|TestNoProgram|TestBranches|TestFork"},
		{"init/internal/seccomp", "TestLive|TestVariantsLoad"},
		{"launcher", "TestNotArmed|TestBeforeStart|TestManyAsk|TestClose|TestContext"},
		{"launcher", "TestProbe|TestRefused|TestNobodyAsks|TestPolicyErrors"},
		{"launcher", "TestGoHost/^server-go$"},
		{"cmd/mcp-sandbox-init", "TestReport|TestPolicyDescriptor|TestBadReport"},
		{"init/internal/supervise", "TestPostureFromOutside|TestUnalteredLaunchRuns|TestOneExec$|TestStrict"},
		{"init/internal/supervise", "TestPolicyLost|TestRepairWakesNobodyElse"},
		{"init/internal/test/listener", "TestEachIsTold|TestWithoutListener|TestOneExecIsTold"},
		{"init/internal/test/listener", "TestProcess|TestNobodyAnswers|TestStoppedShim"},
	}
	if uid == 0 {
		stories += "|a_set-user-ID|a_program_with_file|a_mount_of_the_host|the_machine's_user_0|a_core_dump"
	} else {
		all = append(all,
			Suite{"init/internal/supervise", "TestWhatTheHostReplaces"},
			Suite{"init/internal/test/endings", "TestNoSession|TestExitCodes|TestSignalsThat|TestTwice"},
			Suite{"init/internal/test/endings", "TestCPUCause|TestMaxRSS|TestFullStderr"})
	}
	const escape = "init/internal/test/escape"
	all = append(all, Suite{escape, "TestEscape$"}, Suite{escape, "TestStories/^(" + stories + ")"})
	return append(all, denials()...)
}

// missed takes away one call of a launch after the other. One kernel besides the host's has the time for it.
func missed() []Suite { return []Suite{{"init/internal/supervise", "TestEveryOpIsMissed/^standard$"}} }

// weakened are the escapes where an older Landlock leaves more to the filter than the host's does.
func weakened() []Suite { return []Suite{{"init/internal/test/escape", "TestEscapeReduced"}} }

// resources are bombs that use up what the limits give. Root delegates groups for them itself.
func resources(run string) []Suite {
	return []Suite{{"init/internal/test/resources", run}, {"init/internal/supervise", "TestServerBornElsewhere"}}
}

func denials() []Suite { return []Suite{{"init/internal/supervise", "TestDenials"}} }

// StepTime is how long the tests of a step may take, on a machine that is emulated on a busy one.
const StepTime = 15 * time.Minute

// name of a suite's step; there may be two of one package.
func (s *Suite) name(i int) string { return strconv.Itoa(i+1) + "-" + path.Base(s.Package) }

// Binary is the file name of a suite's test binary, as the go command gives it.
func (s *Suite) Binary() string { return path.Base(s.Package) + ".test" }

// TryStep is the name of the step that compares the machine with the expectation, and the program's.
const TryStep = "try"

// Job is what a row's guest does. stage is the folder of built programs and test binaries.
func (r *Row) Job(stage, checkout string) (job.Job, error) {
	expect, err := json.Marshal(r.Expect)
	if err != nil {
		return job.Job{}, err
	}
	j := job.Job{UID: r.Expect.UID, Place: r.Expect.Place, Hybrid: r.Hybrid, Sysctls: r.Sysctls, Mask: r.Mask,
		Open: []string{stage, checkout},
		Env: []string{EnvName + "=" + string(expect), "MCP_SANDBOX_TEST_PROGRAMS=" + stage,
			"MCP_SANDBOX_PATIENCE=5m",  // its processor is emulated
			"MCP_SANDBOX_TEST_CORE=1"}, // its core_pattern may be set
		Steps: []job.Step{{Name: TryStep, Dir: "/", Argv: []string{filepath.Join(stage, TryStep)}, Root: true}}}
	if r.Expect.Group == RootGroup || r.Expect.Group == ManagerGroup { // no suite runs in a delegated group
		j.Env = append(j.Env, "MCP_SANDBOX_REQUIRE=cgroup")
	}
	for i, s := range r.Suites {
		dir := filepath.Join(checkout, filepath.FromSlash(s.Package))
		j.Open = append(j.Open, dir)
		j.Steps = append(j.Steps, job.Step{Name: s.name(i), Dir: dir, Argv: []string{
			filepath.Join(stage, s.Binary()), "-test.v", "-test.timeout=" + StepTime.String(), "-test.run=" + s.Run}})
	}
	return j, nil
}
