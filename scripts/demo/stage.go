package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// How this program starts itself.
const (
	serveArg = "serve"
	idleArg  = "idle"
)

// secret is the key's text: an answer with this text shows that the key was read.
const secret = "not a real key, but pretend"

// A stage is the host as the demo sets it up, in a temporary folder: nothing real is at stake. All of it is open to
// every uid, so that what stops a server under another uid is not the files' own mode.
type stage struct {
	dir, self string
	home      string // HOME of host and server: .ssh/id_ed25519, notes.txt and
	project   string // home/project, the one folder that the policy grants
	elsewhere string // a folder that it does not
	listener  net.Listener
	heard     chan struct{} // one for each connection
	bystander *exec.Cmd     // a process whose command line holds mark
	mark      string
	input     io.Closer // ends the bystander
}

func newStage() (*stage, error) {
	dir, err := os.MkdirTemp("", "mcp-sandbox-demo-")
	if err != nil {
		return nil, err
	}
	st := &stage{dir: dir, self: filepath.Join(dir, "demo"), home: filepath.Join(dir, "home"),
		elsewhere: filepath.Join(dir, "elsewhere"), mark: "bystander-" + strconv.Itoa(os.Getpid())}
	st.project = filepath.Join(st.home, "project")
	if err := st.furnish(); err != nil {
		st.close()
		return nil, err
	}
	return st, nil
}

func (st *stage) furnish() error {
	if err := os.Chmod(st.dir, 0o755); err != nil {
		return err
	}
	for _, dir := range []string{filepath.Join(st.home, ".ssh"), st.project, st.elsewhere} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := os.Chmod(dir, 0o777); err != nil {
			return err
		}
	}
	for path, text := range map[string]string{".ssh/id_ed25519": secret, "notes.txt": "to do"} {
		if err := os.WriteFile(filepath.Join(st.home, path), []byte(text), 0o644); err != nil {
			return err
		}
	}
	// A checkout may be in a closed home.
	if err := testbed.CopySelf(st.self); err != nil {
		return err
	}
	// The policy's home and the server's HOME are the launcher's.
	if err := os.Setenv("HOME", st.home); err != nil {
		return err
	}
	return errors.Join(st.listen(), st.startBystander())
}

func (st *stage) listen() error {
	var err error
	if st.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	st.heard = make(chan struct{}, 16)
	go func() {
		for {
			c, err := st.listener.Accept()
			if err != nil {
				return // closed
			}
			c.Close()
			st.heard <- struct{}{}
		}
	}()
	return nil
}

func (st *stage) startBystander() error {
	st.bystander = exec.Command(st.self, idleArg, st.mark)
	input, err := st.bystander.StdinPipe()
	if err != nil {
		return err
	}
	st.input = input
	return st.bystander.Start()
}

// command is the server without any confinement.
func (st *stage) command() *exec.Cmd {
	cmd := exec.Command(st.self, serveArg)
	cmd.Stderr = os.Stderr
	return cmd
}

func (st *stage) close() {
	if st.listener != nil {
		st.listener.Close()
	}
	if st.bystander != nil && st.bystander.Process != nil {
		st.input.Close()
		st.bystander.Wait()
	}
	if err := os.RemoveAll(st.dir); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
	}
}
