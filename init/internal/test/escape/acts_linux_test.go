package escape_test

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
		"call":        rawCall,    // NUMBER [ARG...], see argument
		"new":         newSpace,   // FLAGS clone or unshare: a child that is born with them, or asks for them
		"fill":        fill,       // MIB DIR...: write until nothing more fits
		"fill-inodes": fillInodes, // COUNT DIR...: make empty files until nothing more fits
		"kill-all":    killAll,    // signal every process that can be, itself not; tells how its own child ended
		"core-limit":  coreLimit,  // lower the limit of core dumps to 0 by both calls; tells what it is then
		"crash":       crash,      // die of a signal that dumps core

		"connect":     connect,    // FAMILY TYPE PROTOCOL ADDRESS PORT: and send a word
		"fast-open":   fastOpen,   // ADDRESS PORT: the first word goes with the SYN, no connect is called
		"families":    families,   // the families of which some kind of socket can be had
		"peer":        peerSignal, // signal who made the other end of standard input, by a descriptor of the process
		"owner":       owner,      // PID: it owns a socket, and is sent SIGKILL when there is something to read
		"anew":        anew,       // FD FAMILY ADDRESS PORT: connect an inherited socket with somebody else, and send a word
		"add-address": addAddress, // to the loopback interface, by netlink

		"reconfigure": reconfigure,  // DIR: change the file system mounted there, by fspick and fsconfig
		"tmpfile":     tmpfile,      // DIR PATH: a file without a name in DIR gets the name PATH
		"reopen":      reopen,       // PATH FLAGS: an O_PATH descriptor, opened again through /proc/self/fd
		"moved":       moved,        // DIR PATH: hold DIR, say so by DIR/ready, wait until it was moved, open PATH relative to it
		"lines":       linesWith,    // PATH TEXT: the lines of PATH that hold TEXT
		"replaced":    readReplaced, // PATH: say so by PATH.ready, wait until the host is done, which PATH.done says, and read PATH
		"deface":      deface,       // FD: change what was written to it, by every way; tells which went
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
	child.Args[0] = adversaryName
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
