// Command resident lives in a place: it asks doctor, launches a probe, and is the client of four servers, confined.
//
//	resident [-timeout D] [-servers NAME,…] [-min CONFINEMENT] FOLDER
//
// FOLDER has bin, servers, policy.json and secret. The resident writes a table.Account as one line of JSON and needs
// no writable folder, no network, and no entry in passwd. Exit status 0, whatever it found.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

func main() {
	timeout := flag.Duration("timeout", time.Minute, "for each session")
	servers := flag.String("servers", strings.Join(table.Servers(), ","), "those of the sessions")
	least := flag.String("min", "", "minConfinement of the launches")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "resident: one folder")
		os.Exit(2)
	}
	r := &resident{folder: flag.Arg(0), timeout: *timeout, servers: strings.Split(*servers, ","), least: *least}
	if err := r.live(); err != nil {
		r.Problem = err.Error()
	}
	if err := json.NewEncoder(os.Stdout).Encode(r.Account); err != nil {
		fmt.Fprintln(os.Stderr, "resident:", err)
		os.Exit(1)
	}
}

// A resident is in one place. The account is exported for its fields.
type resident struct {
	folder  string
	timeout time.Duration
	servers []string
	least   string // "": the policy's own
	table.Account
}

func (r *resident) path(name string) string { return filepath.Join(r.folder, name) }

func (r *resident) live() error {
	r.UID = os.Getuid()
	groups, err := os.Getgroups()
	if err != nil {
		return err
	}
	r.Groups = groups
	if err := r.doctor(); err != nil {
		return err
	}
	if err := r.probe(); err != nil {
		return err
	}
	if r.Probe.Confinement != "" {
		if r.Reach, err = r.reach().Run(); err != nil {
			return fmt.Errorf("a list of domains: %w", err)
		}
	}
	for _, name := range r.servers {
		s, err := r.session(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.Sessions = append(r.Sessions, s)
	}
	return nil
}

func (r *resident) doctor() error {
	var stderr strings.Builder
	cmd := exec.Command(r.path("bin/mcp-sandbox"), "doctor", "--json")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return err
	}
	if r.Code = cmd.ProcessState.ExitCode(); json.Unmarshal(out, &r.Doctor) != nil {
		return fmt.Errorf("doctor: %w: %s%s", err, out, stderr.String())
	}
	return nil
}

// probe reads a file that the policy grants and one that it does not, without a sandbox and in one.
func (r *resident) probe() error {
	words := []string{r.path("servers/probe"), "read", r.path("servers/granted"), "--", "read", r.path("secret")}
	out, err := exec.Command(words[0], words[1:]...).Output()
	if err != nil {
		return fmt.Errorf("the probe alone: %w", err)
	}
	if r.Outside, err = attempt.Read(bytes.NewReader(out)); err != nil {
		return err
	}
	l, err := r.launch(words)
	if err != nil {
		return err
	}
	var confined bytes.Buffer
	l.cmd.Stdout = &confined
	if err := l.cmd.Start(); err != nil {
		return err
	}
	err = l.cmd.Wait()
	r.Probe = l.reported()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return err
	}
	r.Inside, err = attempt.Read(&confined)
	return err
}
