package install

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/store"
	"github.com/security-mcp/mcp-sandbox/store/install/registrytest"
	"github.com/security-mcp/mcp-sandbox/store/startline"
	"golang.org/x/sys/unix"
)

// A registry that falls silent ends the install, which names package and registry; a slow one does not.
func TestSilentRegistries(t *testing.T) {
	h := newHome(t, good()...)
	h.options.stall = 5 * time.Second
	for _, c := range []struct {
		moment registrytest.Moment
		words  []string
	}{
		{registrytest.AtMetadata, []string{"nothing came for 5s", "npm waits for good from " + h.registry.URL}},
		{registrytest.AtArchive, []string{"nothing came for 5s", "npm waits for the archive of ", " from " + h.registry.URL}},
		{registrytest.AmidArchive, []string{"nothing came for 5s", "npm waits for the archive of ", " from " + h.registry.URL}},
	} {
		h.registry.Behave(registrytest.Behaviour{Hang: c.moment})
		h.refused(t, "npx -y good", c.words...)
	}
	h.registry.Behave(registrytest.Behaviour{Slow: 2500 * time.Millisecond})
	h.must(t, "npx -y good")
}

// Where no host answers, or none listens, that is told in less than half a minute.
func TestUnreachableRegistries(t *testing.T) {
	h := newHome(t, good()...)
	for _, c := range []struct {
		registry string
		within   time.Duration
		words    []string
	}{
		{"http://elsewhere.example:4873/", 12 * time.Second, []string{"elsewhere.example:4873 cannot be reached (connection refused)"}},
		{"http://no-such-name.example/", 20 * time.Second, []string{"no-such-name.example cannot be reached (", "HTTPS_PROXY"}},
		{"http://silent.example:4873/", 12 * time.Second, []string{"silent.example:4873 does not answer"}},
	} {
		h.configure(t, "registry="+c.registry+"\n")
		began := time.Now()
		h.refused(t, "npx -y good", c.words...)
		if took := time.Since(began); took > c.within {
			t.Errorf("%s: %s", c.registry, took)
		}
	}
	h.configure(t, "registry="+h.registry.URL+"\n")
	h.must(t, "npx -y good")
}

// The end of the context ends an install within 3 s, whatever it waits for, and nothing is left.
func TestCancelled(t *testing.T) {
	h := newHome(t, good()...)
	start, err := startline.Parse([]string{"npx", "-y", "good"})
	if err != nil {
		t.Fatal(err)
	}
	for _, moment := range []registrytest.Moment{registrytest.AtMetadata, registrytest.AmidArchive} {
		h.registry.Behave(registrytest.Behaviour{Hang: moment})
		ctx, cancel := context.WithCancelCause(context.Background())
		cause := errors.New("the user's signal")
		over := make(chan error)
		go func() {
			_, err := Prepare(ctx, h.store, start, h.options)
			over <- err
		}()
		for until := time.Now().Add(testbed.Patience()); len(installs(h)) == 0 && time.Now().Before(until); {
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(time.Second)
		cancel(cause)
		began := time.Now()
		err := <-over
		if took := time.Since(began); !errors.Is(err, cause) || took > 3*time.Second {
			t.Errorf("%v after %s", err, took)
		}
		if left := installs(h); len(left) > 0 {
			t.Errorf("processes of the install: %v", left)
		}
		h.nothingLeft(t)
	}
	h.registry.Behave(registrytest.Behaviour{})
	h.must(t, "npx -y good")
}

// installs are the processes that work in a stage of a home.
func installs(h *home) (all []int) {
	processes, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, p := range processes {
		b, _ := os.ReadFile(p)
		if strings.Contains(string(b), "npm_config_userconfig="+h.store.Path) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(p)))
			all = append(all, pid)
		}
	}
	return all
}

// Two starts at once install once.
func TestTwoAtOnce(t *testing.T) {
	h := newHome(t, good()...)
	h.registry.Behave(registrytest.Behaviour{Slow: 200 * time.Millisecond})
	var all [3]*Ready
	var together sync.WaitGroup
	for i := range all {
		together.Go(func() { all[i], _ = h.prepare(t, "npx -y good") })
	}
	together.Wait()
	installed := 0
	for _, r := range all {
		if r == nil {
			t.Fatal("one failed")
		}
		if r.Installed {
			installed++
		}
		if r.Package.Path != all[0].Package.Path {
			t.Errorf("%s and %s", r.Package.Path, all[0].Package.Path)
		}
	}
	if installed != 1 {
		t.Errorf("%d installs", installed)
	}
}

// A disk that becomes full in the middle leaves nothing, and is named.
func TestFullDisk(t *testing.T) {
	if os.Getenv(lackingEnv) == "" {
		rerun(t, func(_ testing.TB, cmd *exec.Cmd) { cmd.SysProcAttr = testbed.EveryRight(unix.CLONE_NEWNS) })
		return
	}
	large := make([]byte, 60<<20)
	rand.NewChaCha8([32]byte{}).Read(large)
	h := newHome(t, append(good(), runnable(pack{Name: "large", Files: []file{{Name: "large", Text: string(large)}}}))...)
	data := filepath.Join(h.path, "data")
	err := os.Mkdir(data, 0o700)
	if err == nil {
		err = unix.Mount("tmpfs", data, "tmpfs", 0, "size=105m,mode=700")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_DATA_HOME", data)
	h.store.Close()
	if h.store, err = store.Open(os.Getenv); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // else the folder stays
		h.store.Close()
		if err := unix.Unmount(data, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	h.refused(t, "npx -y large", "no room is left on the disk")
	h.must(t, "npx -y good")
}
