package userbus

import (
	"bufio"
	"encoding/hex"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

func listen(t *testing.T, path string) net.Listener {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// What arrives is read by a general D-Bus library, and what it answers is understood, in every way that can go.
func TestStartScope(t *testing.T) {
	for _, c := range []struct {
		name string
		fake *fake
		want string // in the error, or empty for success
		said []string
	}{
		{"the manager", &fake{result: "done"}, "", []string{"StartTransientUnit fail"}},
		{"the bus", &fake{bus: true, result: "done"}, "", []string{"Hello", "AddMatch " + match, "Subscribe", "StartTransientUnit fail"}},
		{"the signal before the answer", &fake{result: "done", early: true}, "", []string{"StartTransientUnit fail"}},
		{"a job that failed", &fake{result: "failed"}, "ended with failed", []string{"StartTransientUnit fail"}},
		{"refused", &fake{refuse: true}, "StartTransientUnit: org.freedesktop.systemd1.UnitExists", []string{"StartTransientUnit fail"}},
		{"never done", &fake{silent: true}, "no answer in time", []string{"StartTransientUnit fail"}},
		{"not let in", &fake{auth: "REJECTED EXTERNAL\r\n"}, "REJECTED", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := c.fake
			f.t = t
			t.Setenv("XDG_RUNTIME_DIR", f.serve())
			began := time.Now()
			limit := time.Minute
			if c.fake.silent {
				limit = 10 * time.Second
			}
			err := StartScope(os.Getuid(), []int{os.Getpid(), 1234}, began.Add(limit))
			took := time.Since(began)
			f.mu.Lock()
			defer f.mu.Unlock()
			if (err == nil) != (c.want == "") || err != nil && c.fake.auth == "" && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %q", err, c.want)
			}
			if !slices.Equal(f.said, c.said) {
				t.Errorf("%q; want %q", f.said, c.said)
			}
			if took > 30*time.Second { // none waits longer than for its answer
				t.Errorf("it took %v", took)
			}
			if id := hex.EncodeToString([]byte(strconv.Itoa(os.Getuid()))); f.line != "\x00AUTH EXTERNAL "+id+"\r\n" {
				t.Errorf("%q", f.line)
			}
			if f.unit == "" {
				return
			}
			if !strings.HasPrefix(f.unit, "mcp-sandbox-") || !strings.HasSuffix(f.unit, ".scope") {
				t.Errorf("the unit is %q", f.unit)
			}
			pids, _ := f.props["PIDs"].Value().([]uint32)
			if delegate, _ := f.props["Delegate"].Value().(bool); !delegate || !slices.Equal(pids, []uint32{uint32(os.Getpid()), 1234}) || len(f.props) != 4 {
				t.Errorf("%v", f.props)
			}
		})
	}
}

// Nobody is asked in a folder that others can write, nor where nobody listens.
func TestNoManager(t *testing.T) {
	until := time.Now().Add(time.Minute)
	t.Run("nobody", func(t *testing.T) {
		t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
		if err := StartScope(os.Getuid(), nil, until); err == nil || !strings.Contains(err.Error(), "connect") {
			t.Error(err)
		}
	})
	t.Run("everybody's", func(t *testing.T) {
		f := &fake{t: t, result: "done"}
		dir := f.serve()
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("XDG_RUNTIME_DIR", dir)
		if err := StartScope(os.Getuid(), nil, until); err == nil || f.line != "" {
			t.Error(err)
		}
	})
	t.Run("another user's", func(t *testing.T) {
		f := &fake{t: t, result: "done"}
		t.Setenv("XDG_RUNTIME_DIR", f.serve())
		if err := StartScope(os.Getuid()+1, nil, until); err == nil || f.line != "" {
			t.Error(err)
		}
	})
	t.Run("one who says nothing", func(t *testing.T) {
		dir := t.TempDir()
		listen(t, filepath.Join(dir, "bus"))
		t.Setenv("XDG_RUNTIME_DIR", dir)
		if err := StartScope(os.Getuid(), nil, time.Now().Add(50*time.Millisecond)); err == nil {
			t.Error("a scope from nobody")
		}
	})
}

// endless reads the same bytes again and again.
type endless struct {
	b  []byte
	at int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.b[e.at:])
	e.at = (e.at + n) % len(e.b)
	return n, nil
}

// Whoever listens at the manager's socket may answer without end, and does not fill the launcher's memory.
func TestEndlessAnswers(t *testing.T) {
	c := &conn{in: bufio.NewReader(io.LimitReader(&endless{b: hello.encode(1, nil)}, 64<<20))}
	if _, err := c.await(func(*message) bool { return false }); err == nil || !strings.Contains(err.Error(), "more than an answer") {
		t.Errorf("after %d bytes: %v", c.bytes, err)
	}
}
