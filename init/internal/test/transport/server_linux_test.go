package transport_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// server is the whole of what this binary does as a server.
func server(words []string) int {
	act, args := words[0], words[1:]
	switch act {
	case "echo": // everything until the end of input, or so many bytes
		var in io.Reader = os.Stdin
		if len(args) > 0 {
			n, _ := strconv.ParseInt(args[0], 10, 64)
			in = io.LimitReader(in, n)
		}
		if _, err := io.Copy(os.Stdout, struct{ io.Reader }{in}); err != nil {
			return 1
		}
		os.Stdout.WriteString("the end\n")
	case "hang up": // close standard output, live on until standard input ends
		os.Stdout.WriteString("last words\n")
		os.Stdout.Close()
		io.Copy(io.Discard, os.Stdin)
	case "say": // each argument as it is, and live on
		for _, a := range args {
			os.Stdout.WriteString(a)
		}
		io.Copy(io.Discard, os.Stdin)
	case "forge":
		forge()
	case "children":
		return children()
	case "child": // writes, says on descriptor 3 that it has, and stays
		for i := range 1000 {
			fmt.Println("line", i)
		}
		os.NewFile(3, "done").Close()
		for {
			unix.Poll(nil, -1)
		}
	case "terminal":
		terminal()
	}
	return 0
}

// children starts one that writes and has it killed by its own end.
func children() int {
	r, w, err := os.Pipe()
	if err != nil {
		return 1
	}
	cmd := testbed.As(serverWord, "child")
	cmd.Stdout, cmd.ExtraFiles = os.Stdout, []*os.File{w}
	if cmd.Start() != nil {
		return 1
	}
	w.Close()
	r.Read(make([]byte, 1)) // its end
	os.Stdout.WriteString("parent\n")
	return 5
}

// forge tries everything by which a log file could be changed but writing more, and names on standard error, which is
// somebody else's, what worked. At the end it writes one line to descriptor 1.
func forge() {
	did := func(what string, err error) {
		if err == nil {
			fmt.Fprintln(os.Stderr, "did:", what)
		}
	}
	for _, name := range []string{"/proc/self/fd/1", "/dev/stdout", "/dev/fd/1"} {
		if fd, err := unix.Open(name, unix.O_RDWR, 0); err == nil {
			did("pwrite "+name, pwrite(fd))
			did("truncate "+name, unix.Ftruncate(fd, 0))
		}
		if fd, err := unix.Open(name, unix.O_RDONLY|unix.O_NONBLOCK, 0); err == nil {
			n, err := unix.Read(fd, make([]byte, 100))
			if n <= 0 {
				err = errors.New("nothing")
			}
			did("read "+name, err)
		}
	}
	if flags, err := unix.FcntlInt(1, unix.F_GETFL, 0); err == nil {
		unix.FcntlInt(1, unix.F_SETFL, flags&^unix.O_APPEND)
	}
	did("ftruncate", unix.Ftruncate(1, 1))
	did("pwrite", pwrite(1))
	_, err := unix.Seek(1, 0, unix.SEEK_SET)
	did("seek", err)
	os.Stdout.WriteString("server\n")
}

func pwrite(fd int) error { _, err := unix.Pwrite(fd, []byte("FORGED"), 0); return err }

// terminal tells of its terminal on standard output, and then of each signal and each line.
func terminal() {
	report := func(what string, err error) {
		if err != nil {
			fmt.Printf("%s: %v\n", what, err)
		} else {
			fmt.Printf("%s: ok\n", what)
		}
	}
	c := make(chan os.Signal, 10)
	signal.Notify(c, unix.SIGWINCH, unix.SIGINT, unix.SIGCONT, unix.SIGHUP)
	tty, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC, 0)
	report("open /dev/tty", err)
	if err == nil {
		front, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
		if err == nil && front != unix.Getpgrp() {
			err = fmt.Errorf("%d and not %d", front, unix.Getpgrp())
		}
		report("foreground", err)
	}
	const tioclinux, high = 0x541c, 1 << 32
	for _, x := range []struct {
		name string
		req  uintptr
	}{{"TIOCSTI", unix.TIOCSTI}, {"TIOCSTI with high bits", high | unix.TIOCSTI},
		{"TIOCLINUX", tioclinux}, {"TIOCLINUX with high bits", high | tioclinux}} {
		report(x.name, ioctl(0, x.req))
	}
	size()
	go func() {
		for s := range c {
			fmt.Printf("signal %s\n", unix.SignalName(s.(unix.Signal)))
			if s == unix.SIGWINCH {
				size()
			}
		}
	}()
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			fmt.Println("input ended")
			return
		}
		fmt.Printf("line %q\n", strings.TrimSpace(line))
	}
}

func size() {
	if w, err := unix.IoctlGetWinsize(0, unix.TIOCGWINSZ); err == nil {
		fmt.Printf("size %dx%d\n", w.Row, w.Col)
	}
}
