package noshim

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// held are launches whose sandboxes have more than others that their host holds.
func held() (all []kind) {
	folder := "" // with a file that is covered
	for name, change := range map[string]func(p *policy.Policy){
		"a cover":   func(p *policy.Policy) { p.Filesystem.DenyRead = []string{filepath.Join(folder, "secret")} },
		"domains":   func(p *policy.Policy) { p.Network.AllowedDomains = []string{"a.example"} },
		"a port":    func(p *policy.Policy) { p.Network.Publish = []string{"0:3000"} },
		"a state":   func(p *policy.Policy) { p.State = "of-a-test" },
		"one group": func(p *policy.Policy) { p.Limits.Pids = 100 },
	} {
		all = append(all, kind{name, func(t *testing.T, ctx context.Context, i, n int) {
			if folder == "" {
				folder = testbed.Folder(t)
				if err := os.WriteFile(filepath.Join(folder, "secret"), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			p := policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{folder}}}
			change(&p)
			if i%2 == 0 {
				ends(t, ctx, commandWith(t, ctx, p, "exit 3"), 3)
				return
			}
			sb := commandWith(t, ctx, p, "sleep 1000")
			start(t, sb)
			testbed.Moment(i, n, launchTime)
			sb.Close()
			_ = sb.Cmd.Wait()
		}})
	}
	return all
}

// odd are launches whose Cmd is used as few hosts do.
func odd() []kind {
	shim := func(end func(sb *launcher.Sandbox, cancel func())) func(t *testing.T, ctx context.Context, i, n int) {
		return func(t *testing.T, ctx context.Context, i, n int) {
			out, err := os.Create(filepath.Join(testbed.Folder(t), "out"))
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			sb := command(t, ctx, "sleep 1000")
			sb.Cmd.Stdout = out // the parent becomes a shim
			start(t, sb)
			testbed.Moment(i, n, 2*launchTime)
			end(sb, cancel)
			_ = sb.Cmd.Wait()
		}
	}
	wrong := func(change func(c *exec.Cmd)) func(t *testing.T, ctx context.Context, _, _ int) {
		return func(t *testing.T, ctx context.Context, _, _ int) {
			sb := command(t, ctx, "exit 3")
			defer sb.Close()
			change(sb.Cmd)
			_ = sb.Cmd.Run()
			if x, err := sb.Wait(ctx); err == nil {
				t.Errorf("the launch says %+v", x)
			}
		}
	}
	return []kind{
		{"file, closed", shim(func(sb *launcher.Sandbox, _ func()) { sb.Close() })},
		{"file, cancelled", shim(func(_ *launcher.Sandbox, cancel func()) { cancel() })},
		{"file, killed", shim(func(sb *launcher.Sandbox, _ func()) { _ = sb.Cmd.Process.Kill() })},
		{"another program", wrong(func(c *exec.Cmd) { c.Path = "/bin/true" })},
		{"no files", wrong(func(c *exec.Cmd) { c.ExtraFiles = nil })},
		{"by a thread that ends", func(t *testing.T, ctx context.Context, _, _ int) {
			sb := command(t, ctx, waits)
			in, err := sb.Cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			started := make(chan error, 1)
			go func() {
				runtime.LockOSThread() // and never unlocked
				started <- sb.Cmd.Start()
			}()
			if err := <-started; err != nil {
				t.Fatal(err)
			}
			_, err = sb.Report(ctx)
			in.Close()
			_ = sb.Cmd.Wait()
			if x, ended := sb.Wait(ctx); err != nil || ended != nil || x.ExitCode != 7 {
				t.Errorf("%v, %v, %+v", err, ended, x)
			}
		}},
	}
}

// closedTwice opens files until the function is called, and looks whether anything else has closed them meanwhile: what
// closes a descriptor twice hits such a one.
func closedTwice(t *testing.T) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-over:
				return
			default:
			}
			var p [2]int
			var first, then unix.Stat_t
			if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
				t.Error(err)
				return
			}
			for _, fd := range p {
				err := unix.Fstat(fd, &first)
				testbed.Span(time.Millisecond)
				if again := unix.Fstat(fd, &then); errors.Join(err, again) != nil || first.Ino != then.Ino {
					t.Errorf("another's descriptor was closed: %v, %v", err, again)
				}
			}
			if err := errors.Join(unix.Close(p[0]), unix.Close(p[1])); err != nil {
				t.Error(err)
			}
		}
	}()
	return func() { close(over); <-done }
}
