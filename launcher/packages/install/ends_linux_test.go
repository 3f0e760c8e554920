package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// A subject is a package manager with a registry and a package in it.
type subject struct {
	name  string
	line  string // that starts the package
	home  func(*testing.T) (*home, func(registrytest.Behaviour))
	waits map[registrytest.Moment]string // for what it waits when the registry has fallen silent, without the port
}

// subjects are all package managers. The proxy of modules has no moment amid an archive.
func subjects() []subject {
	const awaited, archive = "waits for good from http://127.0.0.1:", "waits for http://127.0.0.1:"
	return []subject{{"npm", "npx -y good", func(t *testing.T) (*home, func(registrytest.Behaviour)) {
		h := newHome(t, good()...)
		return h, h.registry.Behave
	}, moments(awaited, archive+"*/-/1.0.0.tgz", archive+"*/-/1.0.0.tgz")}, {"pypi", "pipx run good-tool", func(t *testing.T) (*home, func(registrytest.Behaviour)) {
		h, x := newPythonHome(t, goodWheels()...)
		return h, x.Behave
	}, moments(archive+"*/simple/good-tool/", "waits for good-tool from http://127.0.0.1:", archive+"*/files/good_tool-1.0")},
		{"go", "go run example.com/tool@v1.0.0", func(t *testing.T) (*home, func(registrytest.Behaviour)) {
			h, p := newGoHome(t, goTool(goSaid), goDep)
			return h, p.Behave
		}, map[registrytest.Moment]string{registrytest.AtMetadata: archive + "*/example.com/tool/@v/v1.0.0.info",
			registrytest.AtArchive: archive + "*/example.com/tool/@v/v1.0.0.zip"}}}
}

func moments(metadata, archive, amid string) map[registrytest.Moment]string {
	return map[registrytest.Moment]string{registrytest.AtMetadata: metadata, registrytest.AtArchive: archive, registrytest.AmidArchive: amid}
}

// A registry that falls silent ends the install, and the line names the registry and the package.
func TestSilentRegistries(t *testing.T) {
	for _, s := range subjects() {
		for moment, words := range s.waits {
			if testing.Short() && (s.name != "npm" || moment != registrytest.AmidArchive) {
				continue
			}
			t.Run(s.name+" "+moment.String(), func(t *testing.T) {
				t.Parallel()
				h, behave := s.home(t)
				h.options.stall = 20 * time.Second // from the start of the manager on, which takes its time too
				behave(registrytest.Behaviour{Hang: moment})
				h.refused(t, s.line, append(strings.Split(words, "*"), "nothing came for 20s")...)
				h.nothingLeft(t)
			})
		}
	}
}

// A slow registry is waited for.
func TestSlowRegistry(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, good()...)
	h.options.stall = 20 * time.Second
	h.registry.Behave(registrytest.Behaviour{Slow: 6 * time.Second})
	h.must(t, "npx -y good")
}

// The end of the context ends an install, whatever it waits for, before the silence of the registry does: no process of it
// runs then, and nothing is left. No other test runs meanwhile.
func TestCancelled(t *testing.T) {
	for _, s := range first(1, subjects()...) {
		t.Run(s.name, func(t *testing.T) {
			h, behave := s.home(t)
			for moment := range s.waits {
				if testing.Short() && (moment == registrytest.AtMetadata || moment == registrytest.AtArchive && len(s.waits) == 3) {
					continue
				}
				silent := make(chan struct{})
				behave(registrytest.Behaviour{Hang: moment, Silent: sync.OnceFunc(func() { close(silent) })})
				h.cancelled(t, s.line, silent)
				h.nothingLeft(t)
			}
			behave(registrytest.Behaviour{})
			h.twice(t, s.line)
		})
	}
}

// cancelled begins an install, and ends it when the registry has fallen silent.
func (h *home) cancelled(t *testing.T, line string, silent <-chan struct{}) {
	t.Helper()
	start, err := startline.Parse(strings.Fields(line))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("the user's signal")
	over := make(chan error, 1)
	go func() {
		_, err := Prepare(ctx, h.store, start, h.options)
		over <- err
	}()
	testbed.Await(t, line+": a registry that has fallen silent", func() bool {
		select {
		case <-silent:
			return true
		case err := <-over:
			t.Fatalf("%s: the registry has not fallen silent: %v", line, err)
		default:
		}
		return false
	})
	if h.running() == 0 {
		t.Errorf("%s: no process of the install was seen", line)
	}
	cancel(cause)
	if err := testbed.Receive(t, "the end of "+line, over); !errors.Is(err, cause) {
		t.Errorf("%s: %v", line, err)
	}
	if n := h.running(); n > 0 {
		t.Errorf("%s: %d processes of the install", line, n)
	}
}

// running counts the processes that have the path of a stage of this home in their environment.
func (h *home) running() (n int) {
	processes, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, p := range processes {
		if b, _ := os.ReadFile(p); strings.Contains(string(b), h.store.Path+"/.stages/") {
			n++
		}
	}
	return n
}

// twice demands that of two starts at once one installs and the other finds.
func (h *home) twice(t *testing.T, line string) {
	t.Helper()
	var both [2]*Ready
	var together sync.WaitGroup
	for i := range both {
		together.Go(func() {
			var err error
			if both[i], err = h.prepare(t, line); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		})
	}
	together.Wait()
	if both[0] != nil && both[1] != nil && (both[0].Installed == both[1].Installed || both[0].Package.Path != both[1].Package.Path) {
		t.Errorf("%s: %+v, %+v", line, both[0], both[1])
	}
}
