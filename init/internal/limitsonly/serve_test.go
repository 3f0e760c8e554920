package limitsonly

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// serverArg makes the test binary the server of a test.
const serverArg = "-basic-server"

// serve does what a test's server is to do.
func serve(words []string) int {
	what, args := words[0], words[1:]
	switch what {
	case "exit":
		n, _ := strconv.Atoi(args[0])
		return n
	case "args":
		fmt.Printf("%q\n", args)
	case "env":
		for _, e := range os.Environ() {
			fmt.Println(e)
		}
	case "echo": // what comes in goes out, to its end
		io.Copy(os.Stdout, os.Stdin)
	case "say":
		os.Stdout.WriteString(strings.Join(args, "\n") + "\n")
	case "write": // a file into the private folder, and where that is
		dir := os.TempDir()
		if err := os.WriteFile(dir+string(os.PathSeparator)+"x", []byte("x"), 0o600); err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(dir)
	case "daemon": // a process that starts another one away from it and ends before the server does
		cmd := child("leave")
		cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
		if err := cmd.Run(); err != nil {
			fmt.Println(err)
			return 1
		}
	case "leave": // once there is a line, or the end, of input
		cmd := child("stay")
		cmd.Stdout = os.Stdout
		detach(cmd)
		if err := cmd.Start(); err != nil {
			fmt.Println(err)
			return 1
		}
		os.Stdin.Read(make([]byte, 1))
	case "stay": // whatever happens, and say so
		signal.Ignore()
		fmt.Println(os.Getpid())
		testbed.Span(stays)
	case "polite": // to the end that it is asked for
		c := make(chan os.Signal, 16)
		signal.Notify(c)
		fmt.Println(os.Getpid())
		go func() {
			testbed.Span(stays)
			os.Exit(0)
		}()
		for s := <-c; s.String() == "urgent I/O condition"; s = <-c { // by which Go's runtime interrupts its own threads
		}
		return 5
	case "deaf": // reads everything and goes on
		fmt.Println(os.Getpid())
		io.Copy(io.Discard, os.Stdin)
		testbed.Span(stays)
	case "tree": // a child and a grandchild that outlive it, and their ids; then the end of its input
		depth, _ := strconv.Atoi(args[0])
		fmt.Println(os.Getpid())
		if depth > 0 {
			grow(depth - 1)
		}
		if len(args) > 1 {
			io.Copy(io.Discard, os.Stdin)
			return 0
		}
		testbed.Span(stays)
	case "breakaway":
		fmt.Println(breakaway())
	case "posture":
		posture()
	case "spawn": // so many, and tell how many went
		n, _ := strconv.Atoi(args[0])
		fmt.Println(spawnAll(n))
	}
	return 0
}

// stays is how long a server that has to stay is there if nothing ends it: longer than any test waits for its end.
const stays = 10 * time.Minute

// child is this program as another server.
func child(words ...string) *exec.Cmd {
	self, _ := os.Executable()
	return exec.Command(self, append([]string{serverArg}, words...)...)
}

// grow starts the next process of a tree and passes on what it says.
func grow(depth int) {
	cmd := child("tree", strconv.Itoa(depth))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	lines := bufio.NewScanner(out)
	for range depth + 1 {
		if lines.Scan() {
			fmt.Println(lines.Text())
		}
	}
}

// spawnAll starts processes until one is refused.
func spawnAll(n int) (started int, err error) {
	self, _ := os.Executable()
	for started < n {
		cmd := exec.Command(self, serverArg, "stay")
		if err = cmd.Start(); err != nil {
			return started, err
		}
		started++
	}
	return started, nil
}
