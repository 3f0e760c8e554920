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
