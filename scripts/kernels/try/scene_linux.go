package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// A scene is what all launches of a row have: a policy, and a file that it does not grant.
type scene struct {
	*matrix.Expectation
	programs, folder string
}

// newScene makes the files that every uid can read, and sees that the secret can be read where nothing denies it.
func newScene(e *matrix.Expectation, programs string) (*scene, error) {
	folder, err := os.MkdirTemp("/var/tmp", "scene-")
	if err != nil {
		return nil, err
	}
	s := &scene{e, programs, folder}
	policy, err := json.Marshal(map[string]any{"version": 1, "limits": matrix.Limits(),
		"filesystem": map[string]any{"allowRead": []string{s.probe()}}})
	if err == nil {
		err = errors.Join(os.Chmod(folder, 0o755), os.WriteFile(s.policy(), policy, 0o644),
			os.WriteFile(s.secret(), []byte("secret\n"), 0o644))
	}
	if err == nil {
		err = s.control()
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *scene) close() { os.RemoveAll(s.folder) }

func (s *scene) policy() string { return filepath.Join(s.folder, "policy.json") }
func (s *scene) secret() string { return filepath.Join(s.folder, "secret") }
func (s *scene) probe() string  { return filepath.Join(s.programs, "probe") }

func (s *scene) control() error {
	outside, err := exec.Command(s.probe(), "read", s.secret()).Output()
	if err != nil {
		return err
	}
	if r, err := result(outside); err != nil || !r.OK {
		return fmt.Errorf("outside of a sandbox the secret cannot be read either: %s", outside)
	}
	return nil
}

// A way is one to launch.
type way struct {
	name string
	argv []string
}

// ways has the server wait for a line, so that it can be looked at, and then try to read the secret.
func (s *scene) ways() []way {
	server := []string{"/bin/sh", "-c", `read line && exec "$0" read "$1"`, s.probe(), s.secret()}
	program := []string{filepath.Join(s.programs, "mcp-sandbox-init"), "--policy", s.policy(), "--report-fd", "3", "--"}
	library := []string{filepath.Join(s.programs, matrix.TryStep), asHost, s.policy()}
	return []way{{matrix.ByProgram, append(program, server...)}, {matrix.ByLibrary, append(library, server...)}}
}

func result(line []byte) (r attempt.Result, err error) {
	err = json.Unmarshal(line, &r)
	return r, err
}
