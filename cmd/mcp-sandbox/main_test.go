package main

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/scripttest"
)

func TestMain(m *testing.M) { scripttest.Main(m, "mcp-sandbox", main) }

func TestScripts(t *testing.T) { scripttest.Run(t) }
