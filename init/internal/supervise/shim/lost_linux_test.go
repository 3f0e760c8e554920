package shim_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A loss is something that cannot be made good. The host saves the denied file when the server has done something.
type loss struct {
	name, do, say string
	alter         func(*launch)
	link          bool // what the host saves is a symbolic link
}

// What cannot be made good ends the server.
func TestPolicyLost(t *testing.T) {
	late := func(l *launch) { l.Late = l.Dir + "/write/secret.late" }
	for _, c := range []loss{
		{"another name", "ln secret.new kept", "has another name", nil, false},
		{"another name, late", "ln secret.late kept", "has another name", late, false},
		{"broken", "", "root: stat ", func(l *launch) { l.Break = true }, false},
		{"link", "", "is a symbolic link now", nil, true},
	} {
		t.Run(c.name, c.ends)
	}
}

func (c *loss) ends(t *testing.T) {
	st := build(t, "/var/tmp")
	s := st.subject(t, masked, c.alter)
	s.fresh(t, "write/secret.new")
	s.fresh(t, "write/secret.late")
	s.tell(c.do)
	if c.link {
		os.Remove(s.path("write/secret.new"))
		os.Symlink("note", s.path("write/secret.new"))
	}
	if err := os.Rename(s.path("write/secret.new"), s.path("write/secret")); err != nil {
		t.Fatal(err)
	}
	o := s.ended()
	last := o.report[len(o.report)-1]
	if o.code != 137 || last["cause"] != "policy-lost" || o.stdout != "tried\n" || !strings.Contains(o.stderr, c.say) {
		t.Errorf("code %d, %v, %q\n%s", o.code, last, o.stdout, o.stderr)
	}
}

// ended waits for a server that has to end by itself, and ends it if it does not.
func (s *subject) ended() outcome {
	late := time.AfterFunc(testbed.Patience(), func() { s.ask.Close() })
	defer s.ask.Close()
	defer late.Stop()
	return s.done()
}

// A server takes the launcher's right away to look into the folder of a cover, has it look, and gives it back. What the host
// then saves is covered again, or the server has ended: with what the host saves it reads nothing.
func TestWatchIsKept(t *testing.T) {
	for _, mode := range []string{"000", "311"} {
		t.Run(mode, func(t *testing.T) {
			st := build(t, "/var/tmp")
			os.Mkdir(st.path("write/sub"), 0o777)
			os.Chmod(st.path("write/sub"), 0o777)
			st.fresh(t, "write/sub/hidden")
			s := st.subject(t, `{"version":1,"filesystem":{"allowWrite":["STAGE/write"],"denyRead":["STAGE/write/secret","STAGE/write/sub/hidden"]}}`, nil)
			s.fresh(t, "write/secret.new")
			s.tell("chmod " + mode + " sub; :")
			// The host's own save of another file has the launcher look at all of them.
			if err := os.Rename(s.path("write/secret.new"), s.path("write/secret")); err != nil {
				t.Fatal(err)
			}
			s.coveredOrOver(s.path("write/secret"))
			s.shimIdle()
			os.Chmod(s.path("write/sub"), 0o777)
			s.fresh(t, "write/sub/hidden.new")
			if err := os.Rename(s.path("write/sub/hidden"), s.path("write/sub/hidden~")); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(s.path("write/sub/hidden.new"), s.path("write/sub/hidden")); err != nil {
				t.Fatal(err)
			}
			s.coveredOrOver(s.path("write/sub/hidden"))
			s.ask.WriteString("{ read -r x; } <sub/hidden && echo found $x\n")
			o := s.end()
			last := o.report[len(o.report)-1]
			if strings.Contains(o.stdout, "found") || last["cause"] != "exit" && last["cause"] != "policy-lost" {
				t.Errorf("%v, %q\n%s", last, o.stdout, o.stderr)
			}
		})
	}
}

// coveredOrOver waits until a path is covered or the server has ended.
func (s *subject) coveredOrOver(path string) {
	testbed.Await(s, path+" covered, or the end of the server", func() bool {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(s.pid) + "/mountinfo")
		return err != nil || strings.Contains(string(b), " "+path+" ")
	})
}

// A folder of the server's own that cannot be watched is one that an earlier session may have made so.
func TestFolderThatCannotBeWatched(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("root may list every folder")
	}
	s := build(t, "/var/tmp")
	os.Mkdir(s.path("write/sub"), 0o777)
	s.fresh(t, "write/sub/hidden")
	for _, mode := range []os.FileMode{0o311, 0o777} {
		os.Chmod(s.path("write/sub"), mode)
		o := run(t, s.launch(`{"version":1,"filesystem":{"allowWrite":["STAGE/write"],"denyRead":["STAGE/write/sub/hidden"]}}`, "mark"))
		if may := mode == 0o777 || os.Geteuid() == 0; may != (o.code == 0) || !may && !strings.Contains(o.stderr, s.path("write/sub")) {
			t.Errorf("mode %o: code %d\n%s", mode, o.code, o.stderr)
		}
	}
}

// What is denied or protected in a write grant and has another name refuses the launch: the server may have made that name.
func TestAnotherNameIsRefused(t *testing.T) {
	s := build(t, "/var/tmp")
	for _, name := range []string{"secret", ".mcp.json"} {
		s.fresh(t, "write/"+name)
	}
	for _, linked := range []bool{false, true} {
		if linked {
			os.Link(s.path("write/secret"), s.path("write/kept"))
			os.Link(s.path("write/.mcp.json"), s.path("write/kept too"))
		}
		o := run(t, s.launch(masked, "mark"))
		want := 0
		if linked {
			want = 125
		}
		if o.code != want || strings.Contains(o.stderr, "has another name") != linked {
			t.Errorf("linked %v: code %d\n%s", linked, o.code, o.stderr)
		}
	}
}

// A server that no signal keeps stopped could read what the host saves no longer than any other.
func TestServerThatWakesItself(t *testing.T) {
	for _, does := range []string{"read", "awake"} {
		t.Run(does, func(t *testing.T) { wakes(t, does) })
	}
}

func wakes(t *testing.T, does string) {
	st := build(t, "/var/tmp")
	st.fresh(t, "write/secret")
	l := st.flooding(t, masked, does, st.path("write/secret"), st.path("write/stop"))
	cmd, under, done := start(t, l, nil)
	e := under.Began()
	s := &subject{T: t, stage: st, cmd: cmd, pid: e.PID, done: done}
	appears(t, st.path("write/stop.ready"))
	for range 20 {
		s.fresh(t, "write/secret.new")
		if err := os.Rename(s.path("write/secret.new"), s.path("write/secret")); err != nil {
			t.Fatal(err)
		}
		s.covered("write/secret")
	}
	s.fresh(t, "write/stop")
	o := done()
	if last := o.report[len(o.report)-1]; last["cause"] != "exit" || o.code != 9 {
		t.Errorf("code %d, %v\n%s", o.code, last, o.stderr)
	}
	t.Log("it could read what was saved 20 times: ", o.stdout)
}
