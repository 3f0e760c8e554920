package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
)

// runscEnv is the variable with the path of gVisor's runtime.
const runscEnv = "MCP_SANDBOX_PLACES_RUNSC"

// docker starts the daemon, without a network of its own.
func (e *engine) docker(ctx context.Context) (stop func(), err error) {
	if err := e.paths(); err != nil {
		return nil, err
	}
	const address = "/run/docker.sock"
	log, err := os.Create(filepath.Join(e.work, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	daemon := exec.CommandContext(ctx, "dockerd", "--bridge", "none", "--iptables=false",
		"--data-root", filepath.Join(e.work, "docker"), "--exec-root", "/run/docker",
		"--pidfile", "/run/docker.pid", "--host", "unix://"+address)
	if e.name == table.GVisor {
		runsc := filepath.Join(e.work, "runsc")
		script := fmt.Sprintf("#!/bin/sh\nexec %q --ignore-cgroups --network=none \"$@\"\n", os.Getenv(runscEnv))
		if err := os.WriteFile(runsc, []byte(script), 0o755); err != nil {
			return nil, err
		}
		daemon.Args = append(daemon.Args, "--add-runtime", "runsc="+runsc)
		e.flags = []string{"--runtime", "runsc"}
	}
	daemon.Stdout, daemon.Stderr = log, log
	if err := daemon.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- daemon.Wait() }()
	e.words = []string{filepath.Join(e.root, "usr/bin/docker"), "--host", "unix://" + address}
	stop = func() {
		daemon.Process.Signal(os.Interrupt)
		<-ended
	}
	const bound = time.Minute
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) { // there is nothing that says when it listens
		select {
		case err := <-ended:
			text, _ := os.ReadFile(log.Name())
			return nil, errors.Join(errors.New("dockerd ended"), err, errors.New(string(text)))
		default:
		}
		if _, err := os.Stat(address); err == nil {
			return stop, nil
		}
		if time.Since(began) > bound {
			stop()
			text, _ := os.ReadFile(log.Name())
			return nil, fmt.Errorf("dockerd does not listen after %v: %s", bound, text)
		}
	}
}

// podman needs no daemon, but files for what Debian has at fixed paths. Without a limit of its own for processes it
// takes 2048, and gives up where the controller is not there.
func (e *engine) podman(context.Context) (stop func(), err error) {
	if err := e.paths(); err != nil {
		return nil, err
	}
	config := filepath.Join(e.work, "containers.conf")
	text := fmt.Sprintf(`[containers]
seccomp_profile = "%[1]s/usr/share/containers/seccomp.json"
pids_limit = 0
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
conmon_path = ["%[1]s/usr/bin/conmon"]
helper_binaries_dir = ["%[1]s/usr/lib/podman"]
[engine.runtimes]
runc = ["%[1]s/usr/sbin/runc"]
`, e.root)
	policy := filepath.Join(e.work, ".config/containers/policy.json")
	err = errors.Join(os.WriteFile(config, []byte(text), 0o644), os.MkdirAll(filepath.Dir(policy), 0o755),
		os.WriteFile(policy, []byte(`{"default":[{"type":"insecureAcceptAnything"}]}`), 0o644),
		os.Setenv("CONTAINERS_CONF", config))
	e.words = []string{filepath.Join(e.root, "usr/bin/podman"), "--root", filepath.Join(e.work, "podman"),
		"--runroot", "/run/podman", "--tmpdir", "/run/podman-tmp", "--storage-driver", "overlay"}
	return func() {}, err
}
