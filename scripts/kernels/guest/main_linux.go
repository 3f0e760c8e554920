// Command guest is process 1 of a test machine: it makes a root of the host's, as it would see a kernel of its own,
// runs the steps of /job.json and turns the machine off.
//
// The host's root comes over virtiofs, read-only, under an overlay in memory: whatever a step does is gone with the
// machine. Programs are those of the host, so nothing has to be packed but this program and the kernel's modules. Where
// the job wants systemd, systemd becomes process 1 and runs this program again as a service.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// The serial ports: the steps print on the first, and job.Events go to the second.
const console, statusPort = "/dev/ttyS0", "/dev/ttyS1"

const path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

func main() {
	var j job.Job
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == asService:
		if err = read(&j, serviceFolder+"/job.json"); err == nil {
			err = openConsole()
		}
	case os.Getpid() == 1:
		if err = read(&j, "/job.json"); err == nil {
			err = start(&j)
		}
	default:
		fmt.Fprintln(os.Stderr, "guest: only for process 1 of a test machine")
		os.Exit(1)
	}
	work(&j, err)
}

func read(j *job.Job, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, j)
}

// start makes the machine's root. start does not return where systemd becomes process 1.
func start(j *job.Job) error {
	if err := loadModules("/modules"); err != nil {
		return err
	}
	if err := makeRoot(); err != nil {
		return err
	}
	if err := runSetup(j); err != nil {
		return err
	}
	if j.Place == job.Manager {
		return startSystemd(j)
	}
	return nil
}

// work runs the steps, unless something is wrong already, and turns the machine off.
func work(j *job.Job, err error) {
	status := os.Stderr // until there is a /dev
	if f, e := os.OpenFile(statusPort, os.O_WRONLY|unix.O_NOCTTY, 0); e == nil {
		status = f
	}
	events := json.NewEncoder(status)
	if err == nil {
		err = prepare(j)
	}
	if err != nil {
		events.Encode(job.Event{Trouble: err.Error()})
		j.Steps = nil
	}
	for i := range j.Steps {
		began := time.Now()
		code, err := run(j, &j.Steps[i])
		if err != nil {
			events.Encode(job.Event{Trouble: j.Steps[i].Name + ": " + err.Error()})
		}
		events.Encode(job.Event{Step: j.Steps[i].Name, Code: code, Seconds: time.Since(began).Seconds()})
	}
	events.Encode(job.Event{Done: true})
	for _, port := range []*os.File{os.Stdout, status} { // what a busy machine has not sent would be lost
		_ = unix.IoctlSetInt(int(port.Fd()), unix.TCSBRK, 1) // as tcdrain(3); there is nowhere to report an error
	}
	time.Sleep(30 * time.Millisecond) // the line's own buffer
	unix.Sync()
	unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// openConsole makes the console this process's output, as that of process 1 is.
func openConsole() error {
	f, err := os.OpenFile(console, os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return errors.Join(unix.Dup2(int(f.Fd()), 1), unix.Dup2(int(f.Fd()), 2))
}
