package noshim

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A stream is what a host gives a process as its standard input or output.
type stream struct {
	name  string
	shim  bool // needs one
	open  func(t *testing.T, in bool) (theirs *os.File, own *os.File)
	empty bool // nothing can be read from it, nor out of it again
}

func streams() []stream {
	file := func(t *testing.T, name string, flags int) *os.File {
		t.Helper()
		f, err := os.OpenFile(name, flags, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	return []stream{
		{name: "pipe", open: func(t *testing.T, in bool) (*os.File, *os.File) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close(); w.Close() })
			if in {
				return r, w
			}
			return w, r
		}},
		{name: "socket", open: func(t *testing.T, _ bool) (*os.File, *os.File) {
			own, theirs := testbed.Pair(t, unix.SOCK_STREAM)
			return theirs, own
		}},
		{name: "null", empty: true, open: func(t *testing.T, in bool) (*os.File, *os.File) {
			return file(t, os.DevNull, os.O_RDWR), nil
		}},
		{name: "file", shim: true, open: func(t *testing.T, in bool) (*os.File, *os.File) {
			name := filepath.Join(testbed.Folder(t), "stream")
			own := file(t, name, os.O_RDWR|os.O_CREATE)
			return file(t, name, os.O_RDWR), own
		}},
		{name: "terminal", shim: true, open: func(t *testing.T, in bool) (*os.File, *os.File) {
			own, theirs, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { own.Close(); theirs.Close() })
			return theirs, own
		}},
	}
}

// talks is a server that answers a line, and says something on its standard error.
const talks = `read line; echo "got <$line>"; echo complaint >&2; exit 5`

// Every stream that a host has serves its server as with a shim: those that need one get it.
func TestStreamsOfEveryKind(t *testing.T) {
	ordinary(t)
	for _, in := range streams() {
		for _, out := range streams() {
			if testing.Short() && in.name != "pipe" && out.name != "pipe" && in.name != out.name {
				continue // each is judged by itself
			}
			t.Run(in.name+" to "+out.name, func(t *testing.T) {
				var with, without string
				t.Run("without", func(t *testing.T) { without = talk(t, in, out, order.ParentName) })
				t.Run("with", func(t *testing.T) {
					t.Setenv("MCP_SANDBOX_LAUNCH", "shim")
					with = talk(t, in, out, "")
				})
				want := "got <hello>"
				if in.empty {
					want = "got <>"
				}
				if out.empty {
					want = ""
				}
				if without != with || without != want {
					t.Errorf("without a shim %q, with one %q, want %q", without, with, want)
				}
			})
		}
	}
}

// talk is one launch with these streams, and what its server said.
func talk(t *testing.T, in, out stream, way string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	sb := command(t, ctx, talks)
	theirIn, ownIn := in.open(t, true)
	theirOut, ownOut := out.open(t, false)
	fromErr, toErr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer fromErr.Close()
	if in.shim && !in.empty && in.name == "file" {
		_, _ = ownIn.WriteString("hello\n")
	}
	sb.Cmd.Stdin, sb.Cmd.Stdout, sb.Cmd.Stderr = theirIn, theirOut, toErr
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toErr.Close()
	_, reported := sb.Report(ctx)
	is := comm(sb.Cmd.Process.Pid)
	if way != "" && is != "" && (is == way) == (in.shim || out.shim) && !in.empty && in.name != "file" {
		t.Errorf("the launch is made by %q", is)
	}
	if ownIn != nil && in.name != "file" {
		_, _ = ownIn.WriteString("hello\n")
	}
	_ = sb.Cmd.Wait()
	complaint, _ := io.ReadAll(fromErr)
	x, err := sb.Wait(ctx)
	code := sb.Cmd.ProcessState.ExitCode()
	if reported != nil || err != nil || x.ExitCode != 5 || code != 5 || string(complaint) != "complaint\n" {
		t.Errorf("%v, %v, %+v, %q", reported, err, x, complaint)
	}
	if theirOut.Close(); ownOut == nil {
		return ""
	}
	if out.name == "file" {
		_, _ = ownOut.Seek(0, io.SeekStart)
	}
	b, _ := io.ReadAll(ownOut) // EIO is a terminal's end
	return strings.TrimSpace(string(b))
}
