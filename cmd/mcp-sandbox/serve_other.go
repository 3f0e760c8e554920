//go:build !linux

package main

import "github.com/security-mcp/mcp-sandbox/cmd/internal/cli"

// serve fails: a team is served on Linux alone.
func serve([]string) int { return cli.Fail("serve: mcp-sandbox-serve runs on Linux alone") }

func serveFlags(*cli.Flags) {}
