package debian

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// What fails for a reason that goes away is tried again: a mirror that changes while it is read, or, for longer, a
// lock of another apt.
const (
	attempts   = 3
	lockedFor  = 5 * time.Minute
	oneAttempt = 5 * time.Minute
)

var between = 5 * time.Second // a test has less

// An apt is this machine's, or one with lists of its own.
type apt struct {
	config string // APT_CONFIG; apt.conf(5)
}

// output runs a program of apt and returns its standard output. The first line of the error is the first of apt's own.
func (a *apt) output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // dpkg comes to the end of a package
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	if a.config != "" {
		cmd.Env = append(cmd.Env, "APT_CONFIG="+a.config)
	}
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s\n%s%s", name, args[0], err, firstError(stderr.String()), out, stderr.Bytes())
	}
	return out, err
}

// firstError is the first line that apt marks as an error, without the mark; or else the first line.
func firstError(stderr string) string {
	for line := range strings.Lines(stderr) {
		if text, ok := strings.CutPrefix(line, "E: "); ok {
			return strings.TrimSpace(text)
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	return first
}

// get runs apt-get in a folder until it succeeds, a bounded number of times. apt itself waits for dpkg's lock, but
// not for that of the lists. A user that cannot write into the folder is not root, and apt would use that user to
// download.
func (a *apt) get(ctx context.Context, dir string, args ...string) error {
	args = append(args, "-q", "-o", "APT::Sandbox::User=root", "-o", "DPkg::Lock::Timeout=300",
		"-o", "Acquire::Retries=3", "-o", "Acquire::http::Timeout=30", "-o", "Acquire::https::Timeout=30")
	for began, failed := time.Now(), 0; ; time.Sleep(between) {
		once, cancel := context.WithTimeout(ctx, oneAttempt)
		_, err := a.output(once, dir, "apt-get", args...)
		cancel()
		if err == nil || ctx.Err() != nil || errors.Is(err, exec.ErrNotFound) {
			return err
		}
		if !strings.Contains(err.Error(), "Could not get lock") || time.Since(began) > lockedFor {
			failed++
		}
		if failed == attempts {
			return err
		}
	}
}

func (a *apt) update(ctx context.Context) error { return a.get(ctx, "", "update") }

// Install installs packages of this machine's own suites. apt's lists are updated before. An update fails when one
// source of several is out of reach; then the lists that are there may do.
func Install(ctx context.Context, packages ...string) error {
	a := &apt{}
	stale := a.update(ctx)
	err := a.get(ctx, "", append([]string{"install", "-y", "--no-upgrade", "--no-install-recommends"}, packages...)...)
	if err != nil && stale != nil {
		return fmt.Errorf("%w\nand before: %w", err, stale)
	}
	return err
}

// ofSuite is an apt that knows the packages of one other suite, from the mirror of this machine's own suite: no
// server is named here. All its files are in work.
func ofSuite(ctx context.Context, work, suite string) (*apt, error) {
	mirror, err := ownMirror(ctx)
	if err != nil {
		return nil, err
	}
	a := &apt{filepath.Join(work, "apt.conf")}
	for name, text := range map[string]string{
		"status":       "",
		"sources.list": fmt.Sprintf("deb [signed-by=%s] %s %s main\n", keyring, mirror, suite),
		"apt.conf": fmt.Sprintf(`Acquire::Languages "none"; Dir::State "%[1]s"; Dir::State::status "%[1]s/status";
Dir::Cache "%[1]s"; Dir::Etc::sourceparts "/dev/null"; Dir::Etc::sourcelist "%[1]s/sources.list";
`, work),
	} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	for _, folder := range []string{"lists", "archives"} {
		if err := os.MkdirAll(filepath.Join(work, folder, "partial"), 0o755); err != nil {
			return nil, err
		}
	}
	return a, a.update(ctx)
}

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// ownMirror is the address of this machine's own suite. The address is known once apt has lists.
func ownMirror(ctx context.Context) (string, error) {
	const query = `. /etc/os-release && exec apt-get indextargets --format '$(REPO_URI)' "Codename: $VERSION_CODENAME"`
	host := &apt{}
	for range 2 {
		targets, err := host.output(ctx, "", "sh", "-c", query)
		if err != nil {
			return "", err
		}
		if mirror, _, _ := strings.Cut(string(targets), "\n"); mirror != "" {
			return mirror, nil
		}
		if err := host.update(ctx); err != nil {
			return "", err
		}
	}
	return "", errors.New("apt: this system's own suite is not in its sources")
}
