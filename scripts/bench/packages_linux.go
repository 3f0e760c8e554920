package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A served is a package with a server that npx starts.
type served struct {
	name, version string
	program       string
	folder        bool // the server wants a folder as its argument
}

var servers = []served{
	{"@modelcontextprotocol/server-everything", "2026.8.31", "mcp-server-everything", false},
	{"@modelcontextprotocol/server-filesystem", "2026.8.31", "mcp-server-filesystem", true},
	{"@notionhq/notion-mcp-server", "2.5.2", "notion-mcp-server", false},
	{"@upstash/context7-mcp", "4.1.1", "context7-mcp", false},
}

// How a served package is started.
const (
	startSandbox = "mcp-sandbox run -- npx -y"
	startNpx     = "npx -y"
	startFar     = "npx -y, registry not on loopback"
	startNode    = "node, of the same folder"
)

// A starter starts the servers.
type starter struct {
	*bench
	mirror *mirror
}

// packages measures how long the servers take to their first answer: of the second start, and of the first one.
func (b *bench) packages(rounds int) error {
	if _, err := exec.LookPath("npx"); err != nil {
		fmt.Fprintln(os.Stderr, "bench: without the starts of packages:", err)
		return nil
	}
	to := b.path("mcp-sandbox")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", to, "./cmd/mcp-sandbox")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", build.Args, err, out)
	}
	if err := rewrite(to, to); err != nil {
		return err
	}
	if err := os.Mkdir(b.path(homes), 0o755); err != nil {
		return err
	}
	defer b.removeHomes()
	r, err := newMirror(b)
	if err != nil {
		return err
	}
	defer r.close()
	if err := (starter{b, r}).second(rounds); err != nil {
		return err
	}
	return starter{b, r}.first((rounds + 2) / 3)
}

// second measures starts of what is in the store, in npm's cache, or in a folder.
func (b starter) second(rounds int) error {
	var rows [][]*variant
	from := load()
	for _, s := range servers {
		row, err := b.secondOf(rounds, s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, row)
	}
	printStarts("second", rounds, from, rows)
	fmt.Println("\n| second start | x npx (wanted: at most 0.6) | x npx, registry not on loopback | " +
		"ms more than node (wanted: at most 25) |\n|---|---|---|---|")
	for i, row := range rows {
		m := row[1].quantile(0.5)
		fmt.Printf("| %s | %.2f | %.2f | %+.0f, p10 %+.0f |\n", servers[i].name, m/row[2].quantile(0.5),
			m/row[3].quantile(0.5), m-row[0].quantile(0.5), row[1].quantile(0.1)-row[0].quantile(0.1))
	}
	return nil
}

func (b starter) secondOf(rounds int, s served) ([]*variant, error) {
	near, err := b.home(b.mirror.url)
	if err != nil {
		return nil, err
	}
	far, err := b.home("")
	if err != nil {
		return nil, err
	}
	start := func(how, home string) *variant {
		return &variant{name: how, answer: func() (time.Duration, error) { return b.answer(b.starts(how, home, s)) }}
	}
	row := []*variant{nil, start(startSandbox, near), start(startNpx, near), start(startFar, far)}
	if err := answers(row[1:], 1, 0); err != nil { // what fills the store and the caches does not count
		return nil, err
	}
	at := filepath.Join(near, ".local/share/mcp-sandbox/store/npm", s.name, s.version+"-*/node_modules/.bin",
		s.program)
	found, err := filepath.Glob(at)
	if err != nil || len(found) != 1 {
		return nil, fmt.Errorf("%s: %q, %w", at, found, err)
	}
	row[0] = &variant{name: startNode, answer: func() (time.Duration, error) {
		return b.answer(b.server(near, s, "node", found[0]))
	}}
	return row, answers(row, 1, rounds)
}

// first measures starts in a home that has neither a store nor a cache. The first round fills the mirror.
func (b starter) first(rounds int) error {
	var rows [][]*variant
	from := load()
	asked := b.mirror.asked.Load()
	for _, s := range servers {
		var row []*variant
		for _, how := range []string{startSandbox, startNpx} {
			row = append(row, &variant{name: how, answer: func() (time.Duration, error) {
				home, err := b.home(b.mirror.url)
				if err != nil {
					return 0, err
				}
				unix.Sync() // what others wrote is not this start's to wait for
				return b.answer(b.starts(how, home, s))
			}})
		}
		if err := answers(row, 1, rounds); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, row)
	}
	printStarts("first", rounds, from, rows)
	fmt.Println("\n| first start | x npx (wanted: at most 1.2) |\n|---|---|")
	for i, row := range rows {
		fmt.Printf("| %s | %.2f |\n", servers[i].name, row[0].quantile(0.5)/row[1].quantile(0.5))
	}
	fmt.Printf("\nOf the first starts, rounds that do not count included, %d requests went past the mirror.\n",
		b.mirror.asked.Load()-asked)
	return nil
}

// homes is the folder of all homes. They are removed after the last start: for a time ext4 gives none of the removed
// inodes to a new file, and passes over each of them for each new file, which was up to a third of the processor time
// of a first start.
const homes = "homes"

// home makes a new home of the measured user, whose npm asks a registry; "" is the one that npm knows.
func (b starter) home(registry string) (string, error) {
	at, err := os.MkdirTemp(b.path(homes), "home-")
	if err != nil {
		return "", err
	}
	project := filepath.Join(at, "project")
	if err := errors.Join(os.Chmod(at, 0o755), os.Mkdir(project, 0o755)); err != nil {
		return "", err
	}
	if registry != "" {
		text := []byte("registry=" + registry + "\n")
		if err := os.WriteFile(filepath.Join(at, ".npmrc"), text, 0o644); err != nil {
			return "", err
		}
	}
	if b.cred == nil {
		return at, nil
	}
	id := int(b.cred.Uid)
	return at, errors.Join(os.Chown(at, id, id), os.Chown(project, id, id))
}

// removeHomes removes folders without a right to write as well.
func (b *bench) removeHomes() {
	filepath.WalkDir(b.path(homes), func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700)
		}
		return nil
	})
	os.RemoveAll(b.path(homes))
}

// starts is the command of a start.
func (b starter) starts(how, home string, s served) *exec.Cmd {
	words := []string{"npx", "-y", s.name + "@" + s.version}
	if how == startSandbox {
		words = append([]string{b.path("mcp-sandbox"), "run", "--quiet", "--"}, words...)
	}
	return b.server(home, s, words...)
}

// server is a command of a server in a home.
func (b starter) server(home string, s served, words ...string) *exec.Cmd {
	if s.folder {
		words = append(words, filepath.Join(home, "project"))
	}
	c := b.command(words[0], words[1:]...)
	c.Dir = home
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	return c
}

// answers measures each start in turn, in a new order each round.
func answers(row []*variant, warm, rounds int) error {
	for i := -warm; i < rounds; i++ {
		for _, k := range rand.Perm(len(row)) {
			took, err := row[k].answer()
			if err != nil {
				return fmt.Errorf("%s: %w", row[k].name, err)
			}
			if i >= 0 {
				row[k].times = append(row[k].times, took)
			}
		}
	}
	return nil
}

func printStarts(which string, rounds int, from string, rows [][]*variant) {
	fmt.Printf("\n| %s start, to the answer of initialize, medians of %d in ms (p10), load %s to %s ", which, rounds,
		from, load())
	for _, v := range rows[0] {
		fmt.Printf("| %s ", v.name)
	}
	fmt.Println("|\n|---" + strings.Repeat("|---", len(rows[0])) + "|")
	for i, row := range rows {
		fmt.Printf("| %s ", servers[i].name+"@"+servers[i].version)
		for _, v := range row {
			fmt.Printf("| %.0f (%.0f) ", v.quantile(0.5), v.quantile(0.1))
		}
		fmt.Println("|")
	}
}
