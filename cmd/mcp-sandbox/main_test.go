package main

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/scripttest"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// TestMain is the program's main where the binary is started as one. Without Init the shim would be a second run of the
// tests, which starts shims.
func TestMain(m *testing.M) {
	reexec.Init()
	scripttest.Main(suite{m}, "mcp-sandbox", main)
}

// suite is the tests of this package, with a folder of their own that every user may enter.
type suite struct{ m *testing.M }

func (s suite) Run() int { return testbed.Run(s.m) }

func TestScripts(t *testing.T) { scripttest.Run(t) }
