package main

import (
	"embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// The service guest@.service runs this program again, with one argument.
const (
	serviceFolder = "/run/guest"
	asService     = "work"
	systemd       = "/lib/systemd/systemd"
)

// units are all that systemd starts: the system's bus, the user manager, and the service that runs the steps. None
// has the dependencies that every unit has by default, which would start the whole system. An instance has the name of
// the user's number.
//
//go:embed units
var units embed.FS

// startSystemd makes systemd process 1, with as little to start as a user manager needs. The function returns only on
// error.
func startSystemd(j *job.Job) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	folder, err := fs.Sub(units, "units")
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(serviceFolder+"/job.json", text, 0o644),
		os.CopyFS("/run/systemd/system", folder)); err != nil {
		return err
	}
	args := []string{systemd, "--unit=guest@" + strconv.Itoa(j.UID) + ".service",
		"--log-target=console", "--log-level=warning", "--show-status=no"}
	const none = "/run/none" // no generators
	env := []string{path, "SYSTEMD_GENERATOR_PATH=" + none, "SYSTEMD_ENVIRONMENT_GENERATOR_PATH=" + none}
	return &os.PathError{Op: "execve", Path: systemd, Err: unix.Exec(systemd, args, env)}
}
