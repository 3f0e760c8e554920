package seccomp

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// execChild loads a filter and executes what follows it.
func execChild(mode string) {
	o := map[string]Options{
		"exec":   {},
		"traced": {OneExec: true},
	}[mode]
	program, err := Program(runtime.GOARCH, o)
	if err == nil {
		err = load(program)
	}
	if err != nil {
		fatal(err)
	}
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, childMode) })
	if os.Args[1] == "self" { // this binary again, as a server with threads
		os.Args = []string{os.Args[0], os.Args[0]}
		env = append(env, childMode+"=threads")
	}
	fatal(syscall.Exec(os.Args[1], os.Args[1:], env))
}

// threadsChild does what a Go server does: threads, files, a connection to itself, a child.
func threadsChild() {
	var wait, locked sync.WaitGroup
	locked.Add(20)
	for range 20 {
		wait.Go(func() {
			runtime.LockOSThread()
			locked.Done()
			locked.Wait()
		})
	}
	wait.Wait()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fatal(err)
	}
	go func() {
		c, err := listener.Accept()
		if err == nil {
			io.WriteString(c, "hello")
			c.Close()
		}
	}()
	c, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		fatal(err)
	}
	got, err := io.ReadAll(c)
	if err != nil || string(got) != "hello" {
		fatal(string(got), err)
	}
	if _, err := net.Interfaces(); err != nil {
		fatal(err)
	}
	if err := exec.Command("/bin/true").Run(); err != nil {
		fatal(err)
	}
	fmt.Println("fine")
	os.Exit(0)
}

const nodeProgram = `
const {Worker} = require('worker_threads'), fs = require('fs'), net = require('net'), os = require('os');
os.networkInterfaces(); fs.readdirSync('/');
const server = net.createServer(c => c.end('hello')).listen(0, '127.0.0.1', () => {
  net.connect(server.address().port, '127.0.0.1').on('data', () => {
    server.close();
    require('child_process').execFile('/bin/true', e => {
      if (e) throw e;
      new Worker('1', {eval: true}).on('exit', () => require('dns').lookup('localhost', e => { if (e) throw e; console.log('fine'); }));
    });
  });
});`

const pythonProgram = `
import threading, subprocess, socket, asyncio, tempfile, os, select
t = threading.Thread(target=lambda: None); t.start(); t.join()
subprocess.run(['/bin/true'], check=True)
a, b = socket.socketpair(); a.send(b'x'); assert b.recv(1) == b'x'
s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname()); c.close()
tempfile.TemporaryFile().write(b'x'); os.urandom(3); select.epoll()
asyncio.run(asyncio.create_subprocess_exec('/bin/true'))
print('fine')`

// TestRuntimes starts what servers are written in under the filter. In CI none of them may be missing.
func TestRuntimes(t *testing.T) {
	for _, r := range []struct {
		name string
		argv []string
		want string
	}{
		{"go", []string{"self"}, "fine"},
		{"sh", []string{"sh", "-c", "echo fi | sed s/i/ine/; umask; ulimit -a >/dev/null"}, "fine"},
		{"node", []string{"node", "-e", nodeProgram}, "fine"},
		{"python", []string{"python3", "-c", pythonProgram}, "fine"},
		{"java", []string{"java", "-version"}, "Runtime Environment"},
	} {
		t.Run(r.name, func(t *testing.T) {
			argv := slices.Clone(r.argv)
			if argv[0] != "self" {
				path, err := exec.LookPath(argv[0])
				if err != nil && os.Getenv("CI") == "" {
					t.Skip(err)
				} else if err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command(path, argv[1:]...).CombinedOutput(); err != nil || !strings.Contains(string(out), r.want) {
					t.Fatalf("without the filter: %v\n%s", err, out)
				}
				argv[0] = path
			}
			out, err := child(t, "exec", argv...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), r.want) {
				t.Fatalf("%v\n%s", err, out)
			}
		})
	}
}
