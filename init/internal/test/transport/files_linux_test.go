package transport_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A server cannot change a log that it writes to, however the host opened it, but by writing more. Without the
// sandbox it can, in each of these ways.
func TestLogCannotBeForged(t *testing.T) {
	for name, flags := range map[string]int{"append": os.O_WRONLY | os.O_APPEND, "behind": os.O_WRONLY, "both ways": os.O_RDWR} {
		t.Run(name, func(t *testing.T) {
			content, did := forged(t, launch{}, flags)
			if content != "host\nserver\n" || did != "" {
				t.Errorf("the log is %q; %s", content, did)
			}
			content, did = forged(t, launch{Bare: true}, flags)
			for _, way := range []string{"pwrite /proc/self/fd/1", "truncate /dev/stdout", "ftruncate", "pwrite\n"} {
				if !strings.Contains(did, way) {
					t.Errorf("bare server: not done: %s", way)
				}
			}
			if strings.HasPrefix(content, "host\n") {
				t.Errorf("bare server: the log is %q", content)
			}
		})
	}
}

func forged(t *testing.T, l launch, flags int) (content, did string) {
	l.Command = serve(t, "forge")
	path := filepath.Join(testbed.Folder(t), "log")
	if err := os.WriteFile(path, []byte("host\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	os.Chmod(path, 0o666)
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if flags&os.O_APPEND == 0 {
		f.Seek(0, 2)
	}
	var errs bytes.Buffer
	cmd := l.cmd(t)
	cmd.Stdout, cmd.Stderr = f, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("%v\n%s", err, errs.String())
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(errs.String()) {
		if strings.HasPrefix(line, "did: ") && !strings.HasPrefix(line, "did: read ") {
			did += line
		}
	}
	return string(b), did
}

// Standard output and error that are one file are one stream for the launcher and the server both, in their order, even
// if the host opened the file twice.
func TestOneLogForBoth(t *testing.T) {
	for name, twice := range map[string]bool{"one open file": false, "two": true} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(testbed.Folder(t), "log")
			out, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			errs := out
			if twice {
				if errs, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
					t.Fatal(err)
				}
			}
			out.WriteString("host\n")
			cmd := launch{Launch: host.Launch{Command: []string{"/bin/sh", "-c", "for i in 1 2 3; do echo out $i; echo err $i >&2; done"}}}.cmd(t)
			cmd.Stdout, cmd.Stderr = out, errs
			if err := cmd.Run(); err != nil {
				t.Error(err)
			}
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var own []string
			for line := range strings.Lines(string(b)) {
				if !strings.HasPrefix(line, "mcp-sandbox: ") {
					own = append(own, line)
				}
			}
			if got := strings.Join(own, ""); got != "host\nout 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n" {
				t.Errorf("%q", b)
			}
			closeAll(out, errs)
		})
	}
}

// A log that can grow no more ends what the server says, as a pipe that nobody reads; the launcher says why and lives.
func TestLogIsFull(t *testing.T) {
	const blocks = 32 << 10 // of 512 bytes, as POSIX has them
	out, err := os.Create(filepath.Join(testbed.Folder(t), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var errs bytes.Buffer
	l := launch{Launch: host.Launch{Command: []string{"/bin/sh", "-c", "yes"}}}
	cmd := exec.Command("/bin/sh", "-c", "ulimit -f "+strconv.Itoa(blocks)+"; exec "+l.words(t))
	cmd.Stdout, cmd.Stderr = out, &errs
	within(t, "the end", func() { cmd.Run() })
	info, err := out.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 128+int(unix.SIGPIPE) || info.Size() != blocks*512 ||
		!strings.Contains(errs.String(), "mcp-sandbox: write what the server says on its descriptor 1: file too large\n") {
		t.Errorf("exit code %d, %d bytes\n%s", code, info.Size(), errs.String())
	}
}
