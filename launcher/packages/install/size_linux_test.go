package install

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/npm"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// writing is an install whose manager is a shell with a script, in the stage.
func (h *home) writing(t *testing.T, name, script string, size policy.Quantity) error {
	t.Helper()
	start, err := startline.Parse([]string{"npx", "-y", name})
	if err != nil {
		t.Fatal(err)
	}
	row := npm.Manager
	row.Programs = []string{"sh"}
	row.Settings = func(context.Context, *job.Question) (*job.Settings, error) { return new(job.Settings), nil }
	row.Install = func(ctx context.Context, j *job.Job) (*job.Contents, error) {
		return nil, errors.Join(j.Run(ctx, job.Step{Args: []string{"-c", "cd " + j.Private + "; " + script}, Local: true}), errWritten)
	}
	i := newInstallation(h.store, start, h.options)
	i.Size, i.row, i.from.row = size, &row, &row
	_, err = i.install(t.Context())
	return err
}

var errWritten = errors.New("the script is at its end")

// An install that writes more than it may is ended while it writes, whatever it writes, and the line says what to type.
// Those that sleep would not end by themselves.
func TestInstallIsBounded(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const allowed, wider = 16 << 20, "type --install-size 32M"
	for _, c := range []struct {
		name, script string
		size         policy.Quantity
		want         string
	}{
		{"enough", "head -c 8M /dev/zero >a; head -c 6M /dev/zero >b", allowed, errWritten.Error()},
		{"raised", "head -c 20M /dev/zero >a", 2 * allowed, errWritten.Error()},
		{"one-file", "head -c 40M /dev/zero >a; sleep 600", allowed, "more than 16M came onto the disk: "},
		{"files", "for i in $(seq 20); do head -c 1M /dev/zero >$i; done; sleep 600", allowed, wider},
		{"at-the-end", "for i in 1 2 3; do head -c 8M /dev/zero >$i; done", allowed, wider},
		{"a-hole", "truncate -s 15M a b", allowed, wider},
		{"names", "for i in $(seq 4000); do >$i; done; sleep 600", allowed, "more than 3276 files came onto the disk"},
		{"deep", "for i in $(seq 200); do mkdir a; cd a; done; sleep 600", allowed, "too deep folders"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := h.writing(t, c.name, c.script, c.size)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if c.want != errWritten.Error() && !strings.Contains(err.Error(), wider) {
				t.Errorf("%v, which does not say what to type", err)
			}
		})
	}
	t.Cleanup(func() { h.nothingLeft(t) })
}

// A package that unpacks to more than an install may have is refused, and installed where the flag says so.
func TestLargePackage(t *testing.T) {
	long(t)
	t.Parallel()
	some := make([]byte, 1<<10) // npm takes an archive for a bomb where it unpacks to thousandfold
	rand.NewChaCha8([32]byte{}).Read(some)
	text := string(bytes.Repeat(some, 24<<10))
	h := newHome(t, runnable(pack{Name: "large", Files: []file{{Name: "large", Text: text}}}))
	h.options.Size = 16 << 20
	h.refused(t, "npx -y large", "more than 16M came onto the disk", "--install-size 32M")
	h.nothingLeft(t)
	h.options.Size = 64 << 20
	h.must(t, "npx -y large")
}
