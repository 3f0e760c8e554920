package basic

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A private is the folder that holds the server's temporary files and its home, and is gone when it has ended.
type private struct {
	dir, home, tmp string
	owner          ids
}

// prefix of the folders' names; the shim's process id follows.
const prefix = "mcp-sandbox-"

// newPrivate makes the folder, and removes those of launchers that did not come to it.
func newPrivate(p *plan) (private, error) {
	base, err := filepath.Abs(os.TempDir())
	if err != nil {
		return private{}, err
	}
	forMoment(100*time.Millisecond, func() { sweep(base) })
	defer ownMask()()
	v := private{owner: p.user}
	if v.dir, err = makePrivate(base, prefix+strconv.Itoa(os.Getpid())+"-"); err != nil {
		return private{}, err
	}
	v.home, v.tmp = filepath.Join(v.dir, "home"), filepath.Join(v.dir, "tmp")
	for _, d := range append([]string{v.home, v.tmp}, v.folders()...) {
		if err = os.MkdirAll(d, 0o700); err != nil {
			break
		}
	}
	if err == nil {
		err = v.give()
	}
	if err != nil {
		v.remove()
	}
	return v, err
}

// environ are the server's variables, of which those that lead to folders lead to the private ones.
func (v *private) environ(env []string) []string {
	own := v.variables()
	kept := make([]string, 0, len(env)+len(own))
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		if order.Lookup(own, name) == "" {
			kept = append(kept, e)
		}
	}
	return append(kept, own...)
}

// remove tries for a moment: on Windows a process that has just ended may still hold a file, and a server may have left more
// names than can be removed in it. The next launches go on with them.
func (v *private) remove() {
	if v.dir == "" {
		return
	}
	forMoment(2*time.Second, func() {
		for range 20 {
			if os.RemoveAll(v.dir) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// forMoment waits no longer than so for what is done. It goes on beside what follows, and ends with the process.
func forMoment(most time.Duration, do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(most):
	}
}

// sweep removes the folders of launchers that are gone and left them: nobody else's, for the names can be made by anybody.
func sweep(base string) {
	old, err := filepath.Glob(filepath.Join(base, prefix+"*-*"))
	if err != nil {
		return
	}
	for _, dir := range old {
		pid, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		n, err := strconv.Atoi(pid)
		if err == nil && n > 0 && mine(dir) && !alive(n) {
			os.RemoveAll(dir)
		}
	}
}
