package main

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/scripttest"
)

func TestMain(m *testing.M) { scripttest.Main(m, "mcp-sandbox-init", main) }

func TestScripts(t *testing.T) { scripttest.Run(t) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
