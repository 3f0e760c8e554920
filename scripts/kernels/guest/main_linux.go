// Command guest is process 1 of a test machine: it makes a root of the host's, as it would see a kernel of its own, runs
// the steps of /job.json and turns the machine off.
//
// The host's root comes over virtiofs, read-only, under an overlay in memory: whatever a step does is gone with the
// machine. Programs are those of the host, so nothing has to be packed but this program and the kernel's modules. Where
// the job wants systemd, that becomes process 1 and runs this program again as a service.
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

// statusPort is the second serial port; guest 0 is the console.
const statusPort, console = "/dev/ttyS1", "/dev/ttyS0"

func main() {
	var j job.Job
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == asService:
		if err = read(&j, serviceFolder+"/job.json"); err == nil {
			err = talk()
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

// start is what the first program of a machine does before there can be any work. It does not return where systemd goes on.
func start(j *job.Job) error {
	if err := loadModules("/modules"); err != nil {
		return err
	}
	if err := makeRoot(); err != nil {
		return err
	}
	if err := mountGroups(j.Hybrid); err != nil {
		return err
	}
	if j.Place == job.Manager {
		return handOver(j)
	}
	return nil
}

// work runs the steps, unless something is wrong already, and turns the machine off.
func work(j *job.Job, err error) {
	status := os.Stderr // until there is a /dev
	if f, e := os.OpenFile(statusPort, os.O_WRONLY|unix.O_NOCTTY, 0); e == nil {
		status = f
	}
	if err == nil {
		err = prepare(j)
	}
	if err != nil {
		job.Trouble(status, err.Error())
		j.Steps = nil
	}
	for i := range j.Steps {
		code, err := run(j, &j.Steps[i])
		if err != nil {
			job.Trouble(status, j.Steps[i].Name+": "+err.Error())
		}
		job.Exit(status, j.Steps[i].Name, code)
	}
	job.Done(status)
	for _, port := range []*os.File{os.Stdout, status} { // what a busy machine has not sent would be lost
		_ = unix.IoctlSetInt(int(port.Fd()), unix.TCSBRK, 1) // as tcdrain(3); nobody can be told of an error
	}
	time.Sleep(30 * time.Millisecond) // the line's own buffer
	unix.Sync()
	unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
}

// talk makes the console this process's output, as it was the first program's.
func talk() error {
	f, err := os.OpenFile(console, os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return errors.Join(unix.Dup2(int(f.Fd()), 1), unix.Dup2(int(f.Fd()), 2))
}
