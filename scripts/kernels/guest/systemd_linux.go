package main

import (
	"embed"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// The service guest.service runs this program again, with one argument.
const (
	serviceFolder = "/run/guest"
	asService     = "work"
	systemd       = "/lib/systemd/systemd"
)

// units are all that systemd starts: the system's bus, the user manager, and the service that runs the steps. None
// has the dependencies that every unit has by default, which would start the whole system. UID stands for the user's
// number.
//
//go:embed units
var units embed.FS

// startSystemd makes systemd process 1, with as little to start as a user manager needs. It returns only an error.
func startSystemd(j *job.Job) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	if err := errors.Join(
		write(serviceFolder+"/guest", program, 0o755),
		write(serviceFolder+"/job.json", text, 0o644),
		write("/etc/machine-id", []byte("0123456789abcdef0123456789abcdef\n"), 0o444), // without, a first boot is long
	); err != nil {
		return err
	}
	entries, err := units.ReadDir("units")
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := units.ReadFile("units/" + e.Name())
		if err != nil {
			return err
		}
		unit := strings.ReplaceAll(string(text), "@UID.", "@"+strconv.Itoa(j.UID)+".")
		if err := write("/run/systemd/system/"+e.Name(), []byte(unit), 0o644); err != nil {
			return err
		}
	}
	args := []string{systemd, "--unit=guest.target", "--log-target=console", "--log-level=warning", "--show-status=no"}
	const none = "/run/none" // no generators
	env := []string{path, "SYSTEMD_GENERATOR_PATH=" + none, "SYSTEMD_ENVIRONMENT_GENERATOR_PATH=" + none}
	return &os.PathError{Op: "execve", Path: systemd, Err: unix.Exec(systemd, args, env)}
}

func write(path string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, mode)
}
