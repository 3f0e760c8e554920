package main

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/scripttest"
)

func TestMain(m *testing.M) { scripttest.Main(suite{m}, "mcp-sandbox-init", main) }

// suite is the tests of this package, with a folder of their own that every user may enter.
type suite struct{ m *testing.M }

func (s suite) Run() int { return testbed.Run(s.m) }

func TestScripts(t *testing.T) { scripttest.Run(t) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
