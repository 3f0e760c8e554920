package shim_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What appeared is told when the server is asked to end, and what appears after that when it has ended: a host that kills the
// launcher meanwhile, as the SDKs do after 2 s, leaves the user told of the first.
func TestAppearedIsToldWhenTheEndBegins(t *testing.T) {
	term := func(s *subject) { s.cmd.Process.Signal(unix.SIGTERM) }
	for _, c := range []struct {
		name, policy string
		do           func(*subject)
	}{
		{"signal", ``, term},
		{"time limit", `,"limits":{"timeout":"10s","grace":"1m"}`, func(*subject) {}},
		{"standard input", `,"onStdinClose":"terminate"`, func(s *subject) { s.ask.Close() }},
		{"host", ``, nil},
	} {
		for _, confinement := range []string{"full", "reduced"} {
			t.Run(c.name+"/"+confinement, func(t *testing.T) {
				t.Parallel()
				st := build(t, "/var/tmp")
				errs, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
				if err != nil {
					t.Fatal(err)
				}
				defer errs.Close()
				l := st.script("trap '' TERM; mkdir -p P/new/.git; : >P/ready; while [ ! -e P/end ]; do sleep 0.01; done")
				doc := strings.Replace(altered.Weaker(writes, confinement), "}}", "}"+c.policy+"}", 1)
				if !strings.Contains(doc, `"grace"`) {
					doc = strings.TrimSuffix(doc, "}") + `,"limits":{"grace":"1m"}}`
				}
				l.Policy, l.Begin = st.Policy(doc), altered.Begin(doc)
				do := c.do
				if do == nil {
					kill := hosted(t, &l)
					do = func(*subject) { kill() }
				}
				also := l.Prepare
				l.Prepare = func(cmd *exec.Cmd) {
					if cmd.Stderr = errs; also != nil {
						also(cmd)
					}
				}
				r, w := altered.Pipe(t)
				cmd, under, done := altered.Start(t, l, r)
				r.Close()
				e := under.Began()
				appears(t, st.Path("write/ready"))
				do(&subject{T: t, stage: st, cmd: cmd, pid: e.PID, ask: w})
				told := func(want string) {
					t.Helper()
					var b []byte
					if !testbed.Comes(func() bool {
						b, _ = os.ReadFile(errs.Name())
						return strings.Contains(string(b), want)
					}) {
						t.Errorf("%q is not told: %q", want, b)
					}
				}
				told(st.Path("write/new/.git")[len(st.Path("write/new/.git"))-32:] + " appeared")
				os.Mkdir(st.Path("write/.idea"), 0o777)
				st.fresh(t, "write/end")
				o := done()
				w.Close()
				b, _ := os.ReadFile(errs.Name())
				if strings.Count(string(b), "/new/.git appeared") != 1 || strings.Count(string(b), "/.idea appeared") != 1 {
					t.Errorf("%s", b)
				}
				if got := o.Told("exited", "appeared"); len(got) != 2 {
					t.Errorf("%q", got)
				}
			})
		}
	}
}

// appears waits for a file.
func appears(t *testing.T, path string) {
	t.Helper()
	testbed.Await(t, path, func() bool {
		_, err := os.Stat(path)
		return err == nil
	})
}
