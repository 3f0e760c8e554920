package main

import (
	"os"
	"path/filepath"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
)

const serveProgram = "mcp-sandbox-serve"

// serve becomes the program for teams, which lies beside this one: no other command links HTTP.
func serve(args []string) int {
	self, err := os.Executable()
	if err != nil {
		return cli.Fail("serve: " + err.Error())
	}
	path := filepath.Join(filepath.Dir(self), serveProgram)
	err = syscall.Exec(path, append([]string{serveProgram}, args...), os.Environ())
	return cli.Fail("serve: " + path + ": " + err.Error() + ": install " + serveProgram +
		", which the archive has, beside this program")
}
