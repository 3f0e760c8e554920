package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/place"
)

// What process 1 leaves for the service that goes on, which is this program with one argument.
const (
	serviceFolder = "/run/guest"
	asService     = "work"
	systemd       = "/lib/systemd/systemd"
)

// units are all that is started: the system's bus, over which a user manager asks for processes to be moved, the user
// manager, and the work. None has the dependencies that every unit has by default, which would start the whole system.
func units(uid int) map[string]string {
	user, folder := fmt.Sprintf("user@%d.service", uid), place.RuntimeDir(uid)
	return map[string]string{
		"guest.target": "[Unit]\nDefaultDependencies=no\nRequires=guest.service\n",
		"guest.service": "[Unit]\nDefaultDependencies=no\nWants=" + user + "\nAfter=" + user + "\n" +
			"[Service]\nStandardOutput=null\nType=oneshot\nTimeoutStartSec=infinity\nExecStart=" + serviceFolder + "/guest " + asService + "\n",
		"user@.service": "[Unit]\nDefaultDependencies=no\nRequires=dbus.service\nAfter=dbus.service\n" +
			"[Service]\nStandardOutput=null\nType=notify\nUser=%i\nEnvironment=XDG_RUNTIME_DIR=" + folder + " HOME=" + folder + "\n" +
			"ExecStart=" + systemd + " --user --unit=dbus.socket\nSlice=user-%i.slice\nDelegate=pids memory cpu\n",
		"dbus.socket": "[Unit]\nDefaultDependencies=no\n[Socket]\nListenStream=/run/dbus/system_bus_socket\n",
		"dbus.service": "[Unit]\nDefaultDependencies=no\nRequires=dbus.socket\nAfter=dbus.socket\n" +
			"[Service]\nStandardOutput=null\nType=notify\nNotifyAccess=main\n" +
			"ExecStart=/usr/bin/dbus-daemon --system --address=systemd: --nofork --nopidfile --systemd-activation --syslog-only\n",
	}
}

// handOver makes systemd process 1, with as little to start as a user manager needs. systemd.unit(5) says which folders
// go before which; generators are turned off by a link to /dev/null in theirs, systemd.generator(7).
func handOver(j *job.Job) error {
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	if err := write(serviceFolder+"/guest", string(program), 0o755); err != nil {
		return err
	}
	if err := write(serviceFolder+"/job.json", string(text), 0o644); err != nil {
		return err
	}
	if err := write("/etc/machine-id", "0123456789abcdef0123456789abcdef\n", 0o444); err != nil { // without, a first boot is long
		return err
	}
	for name, text := range units(j.UID) {
		if err := write("/run/systemd/system/"+name, text, 0o644); err != nil {
			return err
		}
	}
	for _, kind := range []string{"system-generators", "user-generators", "system-environment-generators", "user-environment-generators"} {
		if err := turnOff("/usr/lib/systemd/"+kind, "/run/systemd/"+kind); err != nil {
			return err
		}
	}
	folder := place.RuntimeDir(j.UID)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		return err
	}
	if err := os.Chown(folder, j.UID, j.UID); err != nil {
		return err
	}
	err = unix.Exec(systemd, []string{systemd, "--unit=guest.target", "--log-target=console", "--log-level=warning", "--show-status=no"},
		[]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"})
	return &os.PathError{Op: "execve", Path: systemd, Err: err}
}

func write(path, text string, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), mode)
}

// turnOff hides each program of one folder by its name in another.
func turnOff(programs, by string) error {
	entries, err := os.ReadDir(programs)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(by, 0o755); err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Symlink("/dev/null", filepath.Join(by, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
