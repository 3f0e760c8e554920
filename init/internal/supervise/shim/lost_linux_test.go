package shim_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
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
		os.Remove(s.Path("write/secret.new"))
		os.Symlink("note", s.Path("write/secret.new"))
	}
	if err := os.Rename(s.Path("write/secret.new"), s.Path("write/secret")); err != nil {
		t.Fatal(err)
	}
	o := s.ended()
	last := o.Report[len(o.Report)-1]
	if o.Code != 137 || last["cause"] != "policy-lost" || o.Stdout != "tried\n" || !strings.Contains(o.Stderr, c.say) {
		t.Errorf("code %d, %v, %q\n%s", o.Code, last, o.Stdout, o.Stderr)
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
			os.Mkdir(st.Path("write/sub"), 0o777)
			os.Chmod(st.Path("write/sub"), 0o777)
			st.fresh(t, "write/sub/hidden")
			s := st.subject(t, `{"version":1,"filesystem":{"allowWrite":["STAGE/write"],"denyRead":["STAGE/write/secret","STAGE/write/sub/hidden"]}}`, nil)
			s.fresh(t, "write/secret.new")
			s.tell("chmod " + mode + " sub; :")
			// The host's own save of another file has the launcher look at all of them.
			if err := os.Rename(s.Path("write/secret.new"), s.Path("write/secret")); err != nil {
				t.Fatal(err)
			}
			s.coveredOrOver(s.Path("write/secret"))
			s.shimIdle()
			os.Chmod(s.Path("write/sub"), 0o777)
			s.fresh(t, "write/sub/hidden.new")
			if err := os.Rename(s.Path("write/sub/hidden"), s.Path("write/sub/hidden~")); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(s.Path("write/sub/hidden.new"), s.Path("write/sub/hidden")); err != nil {
				t.Fatal(err)
			}
			s.coveredOrOver(s.Path("write/sub/hidden"))
			s.ask.WriteString("{ read -r x; } <sub/hidden && echo found $x\n")
			o := s.end()
			last := o.Report[len(o.Report)-1]
			if strings.Contains(o.Stdout, "found") || last["cause"] != "exit" && last["cause"] != "policy-lost" {
				t.Errorf("%v, %q\n%s", last, o.Stdout, o.Stderr)
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
	os.Mkdir(s.Path("write/sub"), 0o777)
	s.fresh(t, "write/sub/hidden")
	for _, mode := range []os.FileMode{0o311, 0o777} {
		os.Chmod(s.Path("write/sub"), mode)
		o := altered.Run(t, s.Launch(`{"version":1,"filesystem":{"allowWrite":["STAGE/write"],"denyRead":["STAGE/write/sub/hidden"]}}`, "mark"))
		if may := mode == 0o777 || os.Geteuid() == 0; may != (o.Code == 0) || !may && !strings.Contains(o.Stderr, s.Path("write/sub")) {
			t.Errorf("mode %o: code %d\n%s", mode, o.Code, o.Stderr)
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
			os.Link(s.Path("write/secret"), s.Path("write/kept"))
			os.Link(s.Path("write/.mcp.json"), s.Path("write/kept too"))
		}
		o := altered.Run(t, s.Launch(masked, "mark"))
		want := 0
		if linked {
			want = 125
		}
		if o.Code != want || strings.Contains(o.Stderr, "has another name") != linked {
			t.Errorf("linked %v: code %d\n%s", linked, o.Code, o.Stderr)
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
	l := st.flooding(t, masked, does, st.Path("write/secret"), st.Path("write/stop"))
	cmd, under, done := altered.Start(t, l, nil)
	e := under.Began()
	s := &subject{T: t, stage: st, cmd: cmd, pid: e.PID, done: done}
	appears(t, st.Path("write/stop.ready"))
	for range 20 {
		s.fresh(t, "write/secret.new")
		if err := os.Rename(s.Path("write/secret.new"), s.Path("write/secret")); err != nil {
			t.Fatal(err)
		}
		s.covered("write/secret")
	}
	s.fresh(t, "write/stop")
	o := done()
	if last := o.Report[len(o.Report)-1]; last["cause"] != "exit" || o.Code != 9 {
		t.Errorf("code %d, %v\n%s", o.Code, last, o.Stderr)
	}
	t.Log("it could read what was saved 20 times: ", o.Stdout)
}
