package matrix

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// A Suite is a package's tests, or those of them that a pattern names: a machine without KVM is slow. What is behind a
// slash names subtests, of every test before it.
type Suite struct {
	Package string // its folder below the checkout
	Run     string // as -test.run
	Quick   bool   // the gate has the time for it
}

// StepTime is how long the tests of a step may take, on a machine that is emulated on a busy one.
const StepTime = 15 * time.Minute

// step of a suite. The go command gives a test binary its name.
func (s *Suite) step(name, stage, checkout string) job.Step {
	return job.Step{Name: name, Dir: filepath.Join(checkout, s.Package), Argv: []string{
		filepath.Join(stage, path.Base(s.Package)+".test"), "-test.v", "-test.timeout=" + StepTime.String(),
		"-test.run=" + s.Run}}
}

// TryStep is the name of the step that compares the machine with the expectation.
const TryStep = "try"

// Try compares the machine with the expectation.
func Try() Suite { return Suite{Package: "scripts/kernels/try", Run: "TestRow$"} }

// Job is the work of a row's guest. stage is the folder of built programs and test binaries.
func (r *Row) Job(stage, checkout string) (job.Job, error) {
	expect, err := json.Marshal(r.Expect)
	if err != nil {
		return job.Job{}, err
	}
	j := job.Job{UID: r.Expect.UID, Place: r.Expect.Place, Hybrid: r.Hybrid, Sysctls: r.Sysctls, Mask: r.Mask,
		Open: []string{stage, checkout},
		Env: []string{EnvName + "=" + string(expect), "MCP_SANDBOX_TEST_PROGRAMS=" + stage,
			"MCP_SANDBOX_PATIENCE=5m",                                 // its processor is emulated
			"MCP_SANDBOX_TEST_CORE=1", "MCP_SANDBOX_TEST_FILE_MAX=1"}} // its core_pattern and fs.file-max may be set
	if r.Expect.Group == RootGroup || r.Expect.Group == ManagerGroup { // no suite runs in a delegated group
		j.Env = append(j.Env, "MCP_SANDBOX_REQUIRE=cgroup")
	}
	try := Try()
	j.Steps = []job.Step{try.step(TryStep, stage, checkout)}
	j.Steps[0].Root = true
	for i, s := range r.Suites { // there may be two of one package
		step := s.step(fmt.Sprintf("%d-%s", i+1, path.Base(s.Package)), stage, checkout)
		j.Open, j.Steps = append(j.Open, step.Dir), append(j.Steps, step)
	}
	return j, nil
}
