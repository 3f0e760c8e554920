package resources_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What this test binary is under another name: mcp-sandbox-init.
const (
	programName = "resources.test init"
	reportFD    = 3
	exitWrong   = 70
)

func TestMain(m *testing.M) {
	reexec.Init()
	if os.Args[0] == programName {
		os.Exit(program(os.Args[1]))
	}
	os.Exit(testbed.Run(m))
}

// A launch is what a test asks mcp-sandbox-init for.
type launch struct {
	Policy  string // keys of a policy document
	Command []string
	Begin   string // the confinement to begin with, or empty
}

func program(request string) int {
	var l launch
	err := json.Unmarshal([]byte(request), &l)
	var p policy.Policy
	if err == nil {
		p, err = policy.Parse([]byte(`{"version":1,` + l.Policy + `}`))
	}
	var o *order.Order
	if err == nil {
		o, err = order.New(p, policy.Init, l.Command, os.Environ(), "/")
	}
	if err != nil {
		println(err.Error())
		return exitWrong
	}
	o.ReportFD = reportFD
	if l.Begin != "" {
		o.Begin, o.Why = l.Begin, "a test"
	}
	return reexec.Run(o)
}
