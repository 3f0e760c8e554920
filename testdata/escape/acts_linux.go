package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// acts are what package attempt does not try.
func acts() map[string]func([]string) (string, error) {
	return map[string]func([]string) (string, error){
		"call":        call,       // NUMBER [ARG...], see argument
		"new":         newSpace,   // FLAGS clone or unshare: a child that is born with them, or asks for them
		"mapped":      mapped,     // PORT: TCP over IPv6 to ::ffff:127.0.0.1
		"fast-open":   fastOpen,   // PORT: the first word goes with the SYN, no connect is called
		"fill":        fill,       // MIB DIR...: write until nothing more fits
		"fill-inodes": fillInodes, // COUNT DIR...: make empty files until nothing more fits
		"kill-all":    killAll,    // signal every process that can be, itself not; tells how its own child ended
	}
}

func errnoName(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return ""
	}
	return unix.ErrnoName(errno)
}

// newSpace executes nothing in the child: ENOENT says that clone or unshare went through.
func newSpace(args []string) (string, error) {
	flags, err := strconv.ParseUint(args[0], 0, 64)
	if err != nil {
		return "", err
	}
	attr := &syscall.SysProcAttr{Cloneflags: uintptr(flags)}
	if args[1] == "unshare" {
		attr = &syscall.SysProcAttr{Unshareflags: uintptr(flags)}
	}
	_, err = syscall.ForkExec("/no/such", []string{"x"}, &syscall.ProcAttr{Sys: attr})
	if errors.Is(err, unix.ENOENT) {
		return "made", nil
	}
	return "", err
}

func mapped(args []string) (string, error) {
	port, err := strconv.Atoi(args[0])
	if err != nil {
		return "", err
	}
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	to := &unix.SockaddrInet6{Port: port}
	copy(to.Addr[10:], []byte{0xff, 0xff, 127, 0, 0, 1})
	return "connected", unix.Connect(fd, to)
}

func fastOpen(args []string) (string, error) {
	port, err := strconv.Atoi(args[0])
	if err != nil {
		return "", err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return "sent", unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
}

// fill tells how many MiB fitted, of all folders together, and takes them away again.
func fill(args []string) (string, error) {
	most, err := strconv.Atoi(args[0])
	if err != nil {
		return "", err
	}
	block, written := make([]byte, 1<<20), 0
	for _, dir := range args[1:] {
		f, err := os.Create(filepath.Join(dir, "fill"))
		if err != nil {
			return "", err
		}
		defer os.Remove(f.Name())
		defer f.Close()
		for written < most {
			if _, err = f.Write(block); err != nil {
				break
			}
			written++
		}
	}
	return strconv.Itoa(written), nil
}

func fillInodes(args []string) (string, error) {
	most, err := strconv.Atoi(args[0])
	if err != nil {
		return "", err
	}
	made := 0
	for _, dir := range args[1:] {
		for made < most {
			name := filepath.Join(dir, "fill-"+strconv.Itoa(made))
			f, err := os.Create(name)
			if err != nil {
				break
			}
			f.Close()
			defer os.Remove(name)
			made++
		}
	}
	return strconv.Itoa(made), nil
}

func killAll([]string) (string, error) {
	child := exec.Command("/proc/self/exe", "sleep", "60s")
	if err := child.Start(); err != nil {
		return "", err
	}
	err := unix.Kill(-1, unix.SIGKILL)
	if err != nil {
		child.Process.Kill()
	}
	child.Wait()
	return strings.TrimSpace(child.ProcessState.String()), err
}
