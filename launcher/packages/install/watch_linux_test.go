package install

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/golang"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/npm"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// A compiler may be silent for longer than a registry: the go command says nothing while a large package is compiled.
func TestSilentCompiler(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t)
	h.options.stall = 8 * time.Second
	ended := errors.New("the program ended by itself")
	const asked = "# get https://proxy.example/x/@v/v1.0.0.zip\n# get https://proxy.example/x/@v/v1.0.0.zip: 200 OK (0.1s)\n"
	for _, c := range []struct {
		name, line, words string
		row               job.Manager
		want              string
	}{
		{"go builds", "go run example.com/a@v1.0.0", asked + "WORK=/tmp/go-build1\nmkdir -p $WORK/b001/\n", golang.Manager, ended.Error()},
		{"go has not begun", "go run example.com/b@v1.0.0", asked, golang.Manager, "nothing came for 8s: sh waits for a registry"},
		{"npm builds nothing", "npx -y c", "WORK=/tmp/go-build1\n", npm.Manager, "nothing came for 8s: sh waits for a registry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start, err := startline.Parse(strings.Fields(c.line))
			if err != nil {
				t.Fatal(err)
			}
			c.row.Programs = []string{"sh"}
			c.row.Settings = func(context.Context, *job.Question) (*job.Settings, error) { return new(job.Settings), nil }
			c.row.Install = func(ctx context.Context, j *job.Job) (*job.Contents, error) {
				args := []string{"-c", "printf '%s' \"$1\"; sleep 16", "sh", c.words}
				if err := j.Run(ctx, job.Step{Args: args, Local: true}); err != nil {
					return nil, err
				}
				return nil, ended
			}
			i := newInstallation(h.store, start, h.options)
			i.row, i.from.row = &c.row, &c.row
			if _, err := i.install(t.Context()); !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
}
