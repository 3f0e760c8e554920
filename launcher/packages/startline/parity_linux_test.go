package startline

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The words of a line reach the program as the real tool hands them over, and the program is the same one. Lines whose
// own word is "npx" and the like are started by the tools of this machine, npm's, pnpm, bun and deno, against a registry on
// loopback; each program prints its arguments.
var lines = map[string][]string{
	"npm": {
		"npx -y argv-one a b",
		"npx argv-one -- a", // without -y: standard input is no terminal
		"npx -y argv-one -- -x",
		"npx -- argv-one a",
		"npx -y -- argv-one -- a",
		"npx -y argv-one a -y --package=q --registry=x -c d",
		"npx -y argv-one@1 --flag",
		"npx -y argv-one@^1.0.0 --flag=x --",
		"npx -y argv-one@latest",
		"npx -q --yes=true --loglevel silent argv-one true --- a",
		"npx --ignore-scripts --prefer-offline argv-one a",
		"npx -d -s argv-one a",
		"npx -p argv-one argv-one a",
		"npx --package=argv-several -- other -y",
		"npx -y -p=argv-several other -- -x",
		"npx -p argv-one --package argv-several other a",
		"npx -y @argv/scoped a",
		"npx -y @argv/several a",
		"npx -y argv-alias a",
		"npx -y argv-none a",
		"npx -p argv-none two a",
		"npx -p argv-one two a",
		"npx -y argv-empty a",
		"npm exec -- argv-one x",
		"npm exec argv-one x",
		"npm exec argv-one x -- -y",
		"npm exec argv-one -- x -- -y",
		"npm exec argv-one -y x --- --flag",
		"npm exec --package argv-several -- other",
		"npm --silent exec other --package=argv-several x",
		"npm x -- @argv/scoped -- a",
	},
	"bun": {
		"bunx argv-one a b",
		"bunx argv-one -- a",
		"bunx -- argv-one a",
		"bunx -y argv-one@1 --flag -- -- -x",
		"bunx --bun argv-one --bun -y",
		"bunx -p=argv-several other a",
		"bunx -p argv-one --package argv-several -- other -y",
		"bunx @argv/several a",
		"bunx argv-alias a",
		"bun x argv-one -p a",
		"bun --bun x argv-one a",
		"bun x --silent --package=argv-several other --silent",
	},
	"pnpm": {
		"pnpm dlx argv-one a b",
		"pnpm dlx argv-one -- a",
		"pnpm dlx -- argv-one a",
		"pnpm dlx argv-one@1 --flag -- -- -x",
		"pnpm dlx -y --reporter silent argv-one -y",
		"pnpm -s dlx --loglevel=error argv-one -s",
		"pnpm dlx --package=argv-several other a",
		"pnpm dlx --package argv-one --package argv-several -- other -y",
		"pnpm dlx @argv/scoped a",
		"pnpm dlx @argv/several a",
		"pnpm dlx argv-none a",
	},
	"deno": {
		"deno run -A npm:argv-one a b",
		"deno run -A npm:argv-one -- a",
		"deno run -A -- npm:argv-one a",
		"deno run --allow-read -q npm:argv-one@1 -A --allow-net -- -x",
		"deno run -RE=A,B --allow-net=h:80 --no-prompt npm:/argv-one a",
		"deno run -A npm:argv-several/other a",
		"deno run -A npm:@argv/several@1.0.0 a",
		"deno run -A npm:@argv/several@1.0.0/other a",
		"deno run -A npm:argv-none a",
		"deno run -A npm:argv-none/two a",
	},
}

func TestParity(t *testing.T) {
	if testing.Short() {
		t.Log("the first lines of each tool alone; the rest without -short")
	}
	registry := startRegistry(t)
	for tool, all := range lines {
		if testing.Short() {
			all = all[:3]
		}
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, tool, registry)
			for _, line := range all {
				b.compare(t, strings.Fields(line))
			}
		})
	}
}

// Words that a shell or a parser of flags could change, as one line of npx each.
func TestParityOfWords(t *testing.T) {
	b := newBench(t, "npm", startRegistry(t))
	b.compare(t, []string{"npx", "-y", "argv-one", "", " a  b ", "'", `"`, "$HOME", "`id`", "*", "a\nb", `\`, "é", "-", "--=", "=", "#", "~"})
}

// A bench is a home in which a real tool starts packages.
type bench struct {
	home string
	env  []string
}

func newBench(t *testing.T, tool, registry string) *bench {
	b := &bench{home: t.TempDir()}
	bin := filepath.Join(b.home, "bin")
	programs := map[string][]string{"npm": {"npx", "npm"}, "bun": {"bun", "bunx"}, "pnpm": {"pnpm"}, "deno": {"deno"}}[tool]
	if err := os.MkdirAll(filepath.Join(b.home, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	node := testbed.Node(t)
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range programs {
		from, err := exec.LookPath(name)
		if tool != "npm" {
			from, err = testbed.Runtime(t, tool), nil
		}
		if err != nil {
			testbed.Missing(t, name, "no "+name+" on this machine")
		}
		if err := os.Symlink(from, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	b.env = []string{"PATH=" + bin + ":" + filepath.Dir(node) + ":/usr/bin:/bin", "HOME=" + b.home,
		"NPM_CONFIG_REGISTRY=" + registry, "DENO_NO_UPDATE_CHECK=1", "NO_COLOR=1", "TMPDIR=" + t.TempDir()}
	t.Cleanup(b.removeLocks)
	npmrc := "registry=" + registry + "\nupdate-notifier=false\naudit=false\nfund=false\n"
	if err := os.WriteFile(filepath.Join(b.home, ".npmrc"), []byte(npmrc), 0o644); err != nil {
		t.Fatal(err)
	}
	return b
}

// removeLocks takes away what pnpm leaves in /tmp, whatever TMPDIR is: a file named for the folder of its store.
func (b *bench) removeLocks() {
	stores, _ := filepath.Glob(filepath.Join(b.home, ".local/share/pnpm/store/*"))
	for _, store := range stores {
		name := fmt.Sprintf("/tmp/pnpm-store-operation-locks-%d/%x.lock", os.Getuid(), sha256.Sum256([]byte(store)))
		_ = os.Remove(name)
	}
}

// A said is what a program of the registry prints.
type said struct {
	Package string
	File    string
	Args    []string
}

// real starts a line, and says what the program printed, or the error.
func (b *bench) real(t *testing.T, words []string) (*said, error) {
	t.Helper()
	ctx := t.Context()
	cmd := exec.CommandContext(ctx, filepath.Join(b.home, "bin", words[0]), words[1:]...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = b.env, filepath.Join(b.home, "work"), time.Second
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = errors.New(err.Error() + ": " + string(exit.Stderr))
		}
		return nil, err
	}
	s := &said{}
	if err := json.Unmarshal(out, s); err != nil {
		t.Fatalf("%q printed %q: %v", words, out, err)
	}
	return s, nil
}

// read is what the program would print if the line were started as Parse and ChooseBin say.
func read(words []string) (*said, error) {
	s, err := Parse(words)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, errors.New("no starter")
	}
	for _, spec := range s.Specs {
		bins := published[spec.Name]
		bin, wrong := ChooseBin(spec.Name, bins, s.Bin)
		if wrong == nil {
			return &said{Package: spec.Name, File: path.Base(bins[bin]), Args: s.Args}, nil
		}
		err = wrong
	}
	return nil, err
}

func (b *bench) compare(t *testing.T, words []string) {
	t.Helper()
	began := time.Now()
	want, refusal := b.real(t, words)
	got, err := read(words)
	t.Logf("%q: %.1f s", words, time.Since(began).Seconds())
	switch {
	case (refusal == nil) != (err == nil):
		t.Errorf("%q: %v; the real one: %v", words, err, refusal)
	case err != nil:
		var unknown *Unknown
		if errors.As(err, &unknown) {
			t.Errorf("%q is not understood: %v", words, err)
		}
	case got.Package != want.Package || got.File != want.File || !slices.Equal(got.Args, want.Args):
		t.Errorf("%q: %+v; the real one starts %+v", words, got, want)
	}
}
