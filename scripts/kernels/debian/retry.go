package debian

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// How long it is tried what fails for a reason that goes away: a network that is gone for a moment, a mirror that changes
// while it is read, and, longer, another apt at work.
const (
	attempts   = 3
	lockedFor  = 5 * time.Minute
	oneAttempt = 5 * time.Minute
)

var between = 5 * time.Second // a test has less

// patient are apt.conf(5)'s own of the kind. The lock of dpkg is waited for by that; the one of the lists is not.
func patient() []string {
	return []string{"-q", "-o", "Acquire::Retries=3", "-o", "Acquire::http::Timeout=30", "-o", "Acquire::https::Timeout=30",
		"-o", "DPkg::Lock::Timeout=300"}
}

// get runs apt-get in a folder until it succeeds, a bounded number of times.
func (a *apt) get(ctx context.Context, dir string, args ...string) error {
	for began, failed := time.Now(), 0; ; {
		once, cancel := context.WithTimeout(ctx, oneAttempt)
		_, err := a.output(once, dir, "apt-get", append(args, patient()...)...)
		cancel()
		if err == nil || ctx.Err() != nil || errors.Is(err, exec.ErrNotFound) {
			return err
		}
		if locked := strings.Contains(err.Error(), "Could not get lock"); !locked || time.Since(began) > lockedFor {
			failed++
		}
		if failed == attempts {
			return err
		}
		select {
		case <-time.After(between):
		case <-ctx.Done():
			return err
		}
	}
}

// Install installs packages of this machine's own suites. The lists are brought up to date before: where that fails, as it
// does when any one of the sources is out of reach, those that are there may do.
func Install(ctx context.Context, packages ...string) error {
	a := &apt{}
	stale := a.update(ctx)
	err := a.get(ctx, "", append([]string{"install", "-y", "--no-install-recommends"}, packages...)...)
	if err != nil && stale != nil {
		return fmt.Errorf("%w\nand before: %w", err, stale)
	}
	return err
}
