package attempt

import (
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Memory and files are filled in such blocks.
const (
	MemoryBlock = 1 << 20
	FileBlock   = 64 << 10
)

// bombActions use up one kind of resource: they do the same MOST times, or until the kernel refuses. The detail counts.
func bombActions() map[string]action {
	return map[string]action{
		"memory":    {"MOST: touch blocks of memory", 1, 1, bomb(touch)},
		"files":     {"MOST: open files", 1, 1, bomb(openFile)},
		"fork":      {"MOST: children that stay", 1, 1, bomb(fork)},
		"threads":   {"MOST: threads that stay; Go ends the program when one is refused", 1, 1, bomb(thread)},
		"fill":      {"DIR MOST: append blocks to one file; DIR may hold $VARIABLE", 2, 2, bomb(fill)},
		"create":    {"DIR MOST: make empty files; DIR may hold $VARIABLE", 2, 2, bomb(create)},
		"terminals": {"MOST: open terminals", 1, 1, bomb(openTerminal)},
		"watchers":  {"MOST: make watchers of files", 1, 1, bomb(watch)},
		"spin":      {": use every core and ignore SIGXCPU and SIGTERM", 0, 0, spin},
	}
}

func bomb(once func(dir string, n int) error) func([]string) (Result, error) {
	return func(args []string) (Result, error) {
		most, err := number(args[len(args)-1])
		if err != nil {
			return Result{}, err
		}
		n, dir := 0, os.ExpandEnv(args[0])
		for ; n < most && err == nil; n++ {
			err = once(dir, n)
		}
		if err != nil {
			n--
		}
		return Result{Detail: strconv.Itoa(n)}, err
	}
}

func touch(string, int) error {
	b, err := unix.Mmap(-1, 0, MemoryBlock, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	return err
}

func openFile(string, int) error {
	_, err := unix.Open(os.DevNull, unix.O_RDONLY, 0)
	return err
}

func openTerminal(string, int) error {
	_, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
	return err
}

func watch(string, int) error {
	_, err := unix.InotifyInit1(0)
	return err
}

func fork(string, int) error {
	_, err := syscall.ForkExec("/proc/self/exe", []string{"probe", "sleep", "1h"}, &syscall.ProcAttr{})
	return err
}

func thread(string, int) error {
	made := make(chan bool)
	go func() {
		runtime.LockOSThread()
		made <- true
		select {}
	}()
	<-made
	return nil
}

func fill(dir string, _ int) error {
	f, err := os.OpenFile(filepath.Join(dir, "bomb"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Write(make([]byte, FileBlock))
	return err
}

func create(dir string, n int) error {
	f, err := os.Create(filepath.Join(dir, strconv.Itoa(n)))
	if err == nil {
		f.Close()
	}
	return err
}

func spin([]string) (Result, error) {
	signal.Ignore(unix.SIGXCPU, unix.SIGTERM)
	for range runtime.NumCPU() {
		go func() {
			for n := 0; ; n++ {
			}
		}()
	}
	time.Sleep(time.Hour)
	return Result{}, nil
}
