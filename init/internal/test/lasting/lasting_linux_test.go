package lasting_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"golang.org/x/sys/unix"
)

// A house is the home of a launcher's user, with a state in it.
type house struct {
	testing.TB
	home  string
	begin string // the confinement to begin with
}

const name = "acme"

func newHouse(t *testing.T, begin string) *house {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	return &house{t, home, begin}
}

func (h *house) state() string { return h.home + "/.local/state/mcp-sandbox/state/" + name }

// start starts a server with the state. more is what the policy says besides.
func (h *house) start(more, script string) *host.Run {
	h.Helper()
	doc := `{"version":1,"minConfinement":"` + orFull(h.begin) + `","state":"` + name + `"` + more + `}`
	return h.launch(host.Launch{Policy: doc, Command: []string{"/bin/sh", "-c", script}})
}

// launch starts a launch in the house's confinement.
func (h *house) launch(l host.Launch) *host.Run {
	h.Helper()
	l.Begin, l.Env = h.begin, append(os.Environ(), "PATH=/usr/bin:/bin")
	return host.Start(h, l.Cmd(h))
}

func (h *house) run(more, script string) *host.Run {
	h.Helper()
	r := h.start(more, script)
	r.Wait()
	return r
}

func orFull(c string) string {
	if c == "" {
		return "full"
	}
	return c
}

// each tries a test in each confinement that this user can have a state in.
func each(t *testing.T, try func(t *testing.T, h *house)) {
	for _, begin := range []string{"", "reduced", "limits"} {
		t.Run(orFull(begin), func(t *testing.T) {
			if begin != "" && os.Geteuid() == 0 {
				t.Skip("root's server is another user, who cannot enter root's folders")
			}
			try(t, newHouse(t, begin))
		})
	}
}

// hostile leaves in the home whatever could lead the next launch astray.
const hostile = `cd && ln -s /etc .ssh && ln -s /etc/passwd .bashrc && ln -s / .local && ln -s /tmp .config && ln -s . .cache &&
	mkdir -p deep/closed .trial && : >.trial/f && mkfifo fifo && : >file && chmod 1777 file && ln file hard &&
	chmod 0 deep/closed deep && chmod 1000 . `

// What a server left harms no later launch.
func TestHostileServer(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		if r := h.run("", "umask 0; "+hostile); r.Code != 0 {
			t.Fatalf("%d\n%s", r.Code, &r.Stderr)
		}
		r := h.run("", `cd && ls -d .ssh hard && echo more >more && stat -c %a . && exit 7`)
		if r.Code != 7 || r.Enforced.State != name || !strings.Contains(r.Stdout.String(), "700") {
			t.Errorf("%d, %q\n%s%s", r.Code, r.Enforced.State, &r.Stdout, &r.Stderr)
		}
		if b, err := os.ReadFile(h.state() + "/more"); string(b) != "more\n" {
			t.Errorf("%q, %v", b, err)
		}
		if err := state.Remove(name); err != nil {
			t.Error(err)
		}
	})
}

// Launches share the folder, at the same time.
func TestShared(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		first := h.start("", `cd && mkfifo in && : >here && read word <in && echo "$word"`)
		first.Began()
		// The first server makes its files once it is released.
		second := h.run("", `cd && while ! test -e here; do sleep 0.02; done && echo hello >in`)
		first.Wait()
		if second.Code != 0 || first.Code != 0 || first.Stdout.String() != "hello\n" {
			t.Errorf("%d, %d %q\n%s%s", second.Code, first.Code, &first.Stdout, &first.Stderr, &second.Stderr)
		}
	})
}

// A server that shares the state can take the place of another's grant away, and gains no file by that.
func TestPlaceTakenAway(t *testing.T) {
	h := newHouse(t, "")
	if err := os.Mkdir(h.home+"/grant", 0o755); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(h.home+"/grant/f", []byte("granted\n"), 0o644)
	grant := `,"filesystem":{"allowRead":["` + h.home + `/grant"]}`
	first := h.start(grant, `cd && cat grant/f && : >here && while ! test -e gone; do sleep 0.02; done; cat grant/f; cd grant; ls -A`)
	first.Began()
	second := h.run("", `cd && while ! test -e here; do sleep 0.02; done; rmdir grant; ln -s /etc grant; : >gone`)
	first.Wait()
	if second.Code != 0 || strings.Contains(first.Stdout.String(), "hostname") {
		t.Errorf("%d, %d %q\n%s%s", second.Code, first.Code, &first.Stdout, &first.Stderr, &second.Stderr)
	}
	if b, _ := os.ReadFile(h.home + "/grant/f"); string(b) != "granted\n" {
		t.Errorf("the grant: %q", b)
	}
	if r := h.run(grant, "true"); r.Code != 125 || !strings.Contains(r.Stderr.String(), h.state()+"/grant: it is no folder") {
		t.Errorf("the next: %d %s", r.Code, &r.Stderr)
	}
}

// A grant that only full mounts leaves nothing in the state of a launch that gets less.
func TestNoPlacesWithoutMounts(t *testing.T) {
	each(t, func(t *testing.T, h *house) {
		os.Mkdir(h.home+"/grant", 0o755)
		r := h.run(`,"filesystem":{"allowRead":["`+h.home+`/grant"]}`, "ls -A ~")
		want := map[bool]string{true: "grant\n"}[h.begin == ""]
		if r.Code != 0 || r.Stdout.String() != want {
			t.Errorf("%d %q\n%s", r.Code, &r.Stdout, &r.Stderr)
		}
	})
}

// A root launcher's state is its server's, and another user's server does not get it.
func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root's servers have other ids")
	}
	h := newHouse(t, "")
	for _, c := range []struct {
		user, says string
	}{{"4711:4711", ""}, {"4712:4711", "it belongs to user 4711, and the server is user 4712"}, {"4711:4712", ""}} {
		r := h.run(`,"user":"`+c.user+`"`, ": >~/f && id -u")
		if refused := r.Code == 125; refused != (c.says != "") || !strings.Contains(r.Stderr.String(), c.says) {
			t.Errorf("%s: %d\n%s", c.user, r.Code, &r.Stderr)
		}
	}
	h.begin = "reduced"
	if r := h.run(`,"user":"4711:4711"`, "true"); r.Code != 125 || !strings.Contains(r.Stderr.String(), "start the launcher as the server's user") {
		t.Errorf("reduced: %d\n%s", r.Code, &r.Stderr)
	}
}

// On a full disk a state is what it was.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("it takes root to mount")
	}
	h := newHouse(t, "")
	if err := unix.Mount("none", h.home, "tmpfs", 0, "size=128k,nr_inodes=24,mode=0755"); err != nil {
		t.Skip(err)
	}
	defer unix.Unmount(h.home, unix.MNT_DETACH)
	if err := os.Mkdir(h.home+"/grant", 0o755); err != nil {
		t.Fatal(err)
	}
	if r := h.run("", `cd && echo token >token; i=0; while echo x >f$i; do i=$((i+1)); done 2>/dev/null; true`); r.Code != 0 {
		t.Fatalf("%d\n%s", r.Code, &r.Stderr)
	}
	if r := h.run("", "cat ~/token; ! (: >~/one-more)"); r.Code != 0 || r.Stdout.String() != "token\n" {
		t.Errorf("%d %q\n%s", r.Code, &r.Stdout, &r.Stderr)
	}
	if r := h.run(`,"filesystem":{"allowRead":["`+h.home+`/grant"]}`, "true"); r.Code != 125 || !strings.Contains(r.Stderr.String(), "no space left") {
		t.Errorf("%d\n%s", r.Code, &r.Stderr)
	}
}
