package main

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func bombs() map[string]func(string, string) (int, error) {
	return map[string]func(string, string) (int, error){
		"memory": memory, "files": files, "fork": fork, "threads": threads, "fill": fill, "create": create, "spin": spin,
	}
}

func errnoName(err error) string {
	var e syscall.Errno
	if errors.As(err, &e) {
		return unix.ErrnoName(e)
	}
	return err.Error()
}

// memory touches every page of what it gets, a mebibyte at a time.
func memory(most, _ string) (n int, err error) {
	for end := size(most); n < end; n += 1 << 20 {
		b, err := unix.Mmap(-1, 0, 1<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return n, err
		}
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
	}
	return n, nil
}

func files(_, _ string) (n int, err error) {
	for n = 0; n < 1<<20; n++ {
		if _, err = unix.Open("/dev/null", unix.O_RDONLY, 0); err != nil {
			return n, err
		}
	}
	return n, nil
}

// enough processes or threads say that there is no limit: more would be the machine's harm.
const enough = 500

// fork starts children that stay.
func fork(_, _ string) (n int, err error) {
	for ; n < enough; n++ {
		if _, err = syscall.ForkExec("/proc/self/exe", []string{"bomb", "sleep"}, &syscall.ProcAttr{}); err != nil {
			return n, err
		}
	}
	return n, nil
}

// threads makes threads of its own that stay: where one is refused the runtime of Go says so on standard error and ends.
func threads(_, _ string) (n int, err error) {
	for ; n < enough; n++ {
		made := make(chan bool)
		go func() {
			runtime.LockOSThread()
			made <- true
			select {}
		}()
		<-made
	}
	return n, nil
}

// fill writes into one file of a folder.
func fill(dir, most string) (n int, err error) {
	f, err := os.OpenFile(filepath.Join(os.ExpandEnv(dir), "bomb"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	b := make([]byte, 64<<10)
	for end := size(most); n < end; {
		m, err := f.Write(b)
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// create makes empty files in a folder.
func create(dir, most string) (n int, err error) {
	for end := size(most); n < end; n++ {
		f, err := os.Create(filepath.Join(os.ExpandEnv(dir), strconv.Itoa(n)))
		if err != nil {
			return n, err
		}
		f.Close()
	}
	return n, nil
}

// spin uses every core and hears neither SIGXCPU nor SIGTERM.
func spin(_, _ string) (int, error) {
	signal.Ignore(unix.SIGXCPU, unix.SIGTERM)
	for range runtime.NumCPU() {
		go func() {
			for {
			}
		}()
	}
	time.Sleep(time.Hour)
	return 0, nil
}
