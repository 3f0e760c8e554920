package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/place"
)

// prepare makes the machine what the job says. A setting that this kernel does not have is an error: its row would test
// something else.
func prepare(j *job.Job) error {
	// From here on the kernel's errors are those that tests provoke, "out of memory" for one, and would break their
	// lines. An oops is printed whatever the level is.
	if err := os.WriteFile("/proc/sys/kernel/printk", []byte("3"), 0); err != nil {
		return err
	}
	for name, value := range j.Sysctls {
		if err := os.WriteFile("/proc/sys/"+strings.ReplaceAll(name, ".", "/"), []byte(value), 0); err != nil {
			return err
		}
	}
	for _, p := range j.Mask {
		if err := unix.Mount("/dev/null", p, "", unix.MS_BIND, ""); err != nil {
			return &os.PathError{Op: "mask", Path: p, Err: err}
		}
	}
	for _, p := range j.Open {
		if err := open(p); err != nil {
			return err
		}
	}
	return nil
}

// open lets every uid into a folder and those above it: a checkout may lie below a home. The host's own are not
// changed.
func open(folder string) error {
	for p := folder; p != "/"; p = filepath.Dir(p) {
		info, err := os.Stat(p)
		if err != nil {
			return err
		}
		if mode := info.Mode().Perm(); mode&0o005 != 0o005 {
			if err := os.Chmod(p, info.Mode()|0o055); err != nil {
				return err
			}
		}
	}
	return nil
}

// notRun is the exit status of a step that could not be started.
const notRun = 127

// run runs a step where the job wants it, and returns its exit status; 128+N for signal N.
func run(j *job.Job, s *job.Step) (code int, err error) {
	where, uid := j.Place, j.UID
	if s.Root {
		where, uid = job.Nowhere, 0
	}
	p, err := place.Make(where, uid)
	if err != nil {
		return notRun, err
	}
	home, err := os.MkdirTemp("/home", "user-")
	if err == nil {
		err = os.Chown(home, uid, uid)
	}
	if err != nil {
		return notRun, err
	}
	fmt.Println(job.Mark(s.Name))
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Dir = s.Dir
	cmd.Env = append([]string{path, "HOME=" + home}, j.Env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	p.Enter(cmd)
	err = cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return notRun, err
	}
	code = cmd.ProcessState.ExitCode()
	if w := cmd.ProcessState.Sys().(syscall.WaitStatus); w.Signaled() {
		code = 128 + int(w.Signal())
	}
	return code, p.Remove()
}
