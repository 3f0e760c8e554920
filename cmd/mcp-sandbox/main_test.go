package main

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/scripttest"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
)

// TestMain is the program's main where the binary is started as one. Without Init the shim would be a second run of the
// tests, which starts shims.
func TestMain(m *testing.M) {
	reexec.Init()
	scripttest.Main(m, "mcp-sandbox", main)
}

func TestScripts(t *testing.T) { scripttest.Run(t) }
