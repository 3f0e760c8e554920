package install

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
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
		row               manager
		want              string
	}{
		{"go builds", "go run example.com/a@v1.0.0", asked + "WORK=/tmp/go-build1\nmkdir -p $WORK/b001/\n", golang, ended.Error()},
		{"go has not begun", "go run example.com/b@v1.0.0", asked, golang, "nothing came for 8s: sh waits for a registry"},
		{"npm builds nothing", "npx -y c", "WORK=/tmp/go-build1\n", npm, "nothing came for 8s: sh waits for a registry"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start, err := startline.Parse(strings.Fields(c.line))
			if err != nil {
				t.Fatal(err)
			}
			c.row.programs = []string{"sh"}
			c.row.settings = func(context.Context, *question) (*settings, error) { return new(settings), nil }
			c.row.install = func(ctx context.Context, j *job) (*contents, error) {
				args := []string{"-c", "printf '%s' \"$1\"; sleep 16", "sh", c.words}
				if err := j.run(ctx, step{args: args, local: true}); err != nil {
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

// An install that stands still says what it waits for: a registry's package as long as that is known, also where install
// scripts, or builds of packages, may be silent for long.
func TestStalled(t *testing.T) {
	settings := &settings{registries: []registry{{"", "https://r.example/"}}}
	act := order.Act{Kind: order.DeniedName, Host: "evil.example"}
	result := &launcher.Result{Denied: []launcher.Denial{{Act: act}}}
	for _, c := range []struct {
		row         *manager
		limit       time.Duration
		words, want string
	}{
		{&npm, stallAfter, "", "nothing came for 45s: x waits for a registry from https://r.example/"},
		{&npm, stallAfter, "npm silly fetch manifest y@^1\n", "nothing came for 45s: x waits for y from https://r.example/"},
		{&npm, slowStallAfter, "", "nothing came for 10m0s: x stands still, or a program that x started"},
		{&pypi, slowStallAfter, "Collecting y\n", "nothing came for 10m0s: x waits for y from https://r.example/"},
		{&golang, slowStallAfter, "WORK=/tmp/go-build1\n", "nothing came for 10m0s: x stands still, or a program that x started"},
	} {
		w := &watch{limit: c.limit}
		w.Write([]byte(c.words))
		err := (&cell{row: c.row}).stalled(&job{program: "/bin/x", settings: settings}, w, result)
		if err.Error() != c.want+"; evil.example is none of your registries and was refused" {
			t.Errorf("%s, %q: %v, want %s", c.row.name, c.words, err, c.want)
		}
	}
}
