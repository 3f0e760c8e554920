package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
)

// servePath is where the program for teams lies, beside this one.
func servePath() (string, error) {
	self, err := os.Executable()
	return filepath.Join(filepath.Dir(self), "mcp-sandbox-serve"), err
}

// serve becomes the program for teams: no other command links HTTP.
func serve(args []string) int {
	path, err := servePath()
	if err != nil {
		return cli.Fail("serve: " + err.Error())
	}
	name := filepath.Base(path)
	err = syscall.Exec(path, append([]string{name}, args...), os.Environ())
	return cli.Fail("serve: " + path + ": " + err.Error() + ": install " + name +
		", which the archive has, beside this program")
}

// flagOfHelp is a flag in a help, with its value; the text stands two spaces or a line behind.
var flagOfHelp = regexp.MustCompile(`(?m)^  --([a-z-]+)(?: (\S+))?\s+(.*)$`)

// serveFlags adds the flags of serve to a completion, as its help has them; none where that program is not there.
func serveFlags(f *cli.Flags) {
	path, err := servePath()
	if err != nil {
		return
	}
	help, _ := exec.Command(path, "--help").Output()
	for _, m := range flagOfHelp.FindAllSubmatch(help, -1) {
		name, value, text := string(m[1]), string(m[2]), string(m[3])
		if value == "" {
			f.Switch(name, text, new(bool))
		} else {
			f.Value(name, value, text, func(string) error { return nil })
		}
	}
}
