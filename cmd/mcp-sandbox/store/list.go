package store

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/installing"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A listing is what store list prints with --json.
type listing struct {
	Packages []stored `json:"packages"`
}

// A stored package is one of a listing.
type stored struct {
	Manager   string    `json:"manager"`
	Name      string    `json:"name"`
	Version   string    `json:"version"`
	Specs     []string  `json:"specs"`
	Integrity string    `json:"integrity"`
	Path      string    `json:"path"`
	Bytes     int64     `json:"bytes"`
	Packages  int       `json:"packages"`
	Scripts   []string  `json:"scripts"`
	Installed time.Time `json:"installed"`
	Used      time.Time `json:"used"`
}

func (s *stored) title() string { return s.Manager + ":" + s.Name + "@" + s.Version }

func (l *listing) add(p *store.Package) {
	l.Packages = append(l.Packages, stored{p.Manager, p.Name, p.Version, append([]string{}, p.Specs...), p.Integrity,
		p.Path, p.Bytes, p.Packages, append([]string{}, p.Scripts...), p.Installed, p.Used})
}

// withStore opens the store for a command.
func withStore(f *cli.Flags, name string, do func(*store.Store) int) int {
	in, err := installing.OpenStore(f)
	if err != nil {
		return cli.Fail(name + ": " + err.Error())
	}
	defer in.Close()
	return do(in)
}

// notThere is store.ErrNone for people.
func notThere() error { return fmt.Errorf("%w (mcp-sandbox store list)", store.ErrNone) }

// chosen are the packages of these names, or all. What cannot be read is told.
func chosen(in *store.Store, names []string) (all []*store.Package, code int) {
	all, changed, code := listed(in, names)
	for _, c := range changed {
		code = cli.Fail("store: " + text.Printable(c.Error()))
	}
	return all, code
}

// listed are the packages of these names, or all, and apart those of which the manifest itself is not the one that was
// written.
func listed(in *store.Store, names []string) (all []*store.Package, changed []*store.Changed, code int) {
	take := func(name string, err error) {
		if c, ok := errors.AsType[*store.Changed](err); ok {
			changed = append(changed, c)
		} else if err != nil {
			code = cli.Fail("store: " + name + text.Printable(err.Error()))
		}
	}
	if len(names) == 0 {
		all, broken, err := in.List()
		for _, bad := range broken {
			take("", bad)
		}
		take("", err)
		return all, changed, code
	}
	for _, name := range names {
		found, err := in.Show(name)
		if errors.Is(err, store.ErrNone) || err == nil && len(found) == 0 {
			err = notThere()
		}
		take(text.Quote(name)+": ", err)
		all = append(all, found...)
	}
	return all, changed, code
}

func listStore(f *cli.Flags, json bool, args []string) int {
	if err := cli.NoOperand(args); err != nil {
		return cli.UsageError("store list", err.Error())
	}
	return withStore(f, "store list", func(in *store.Store) int {
		all, code := chosen(in, nil)
		l := listing{Packages: []stored{}}
		for _, p := range all {
			l.add(p)
		}
		if json {
			return cmp.Or(code, cli.ShowJSON(&l))
		}
		var b strings.Builder
		l.page(page.Printer{W: &b, Colour: page.IsTerminal(os.Stdout), Width: page.TerminalWidth(os.Stdout)})
		return cmp.Or(code, cli.Show(b.String()))
	})
}

// page prints the packages for people.
func (l *listing) page(p page.Printer) {
	all := make([]page.Section, 0, len(l.Packages))
	for _, s := range l.Packages {
		all = append(all, page.Section{Title: s.title(), Lines: [][]page.Cell{{
			{Text: fmt.Sprintf("%5s", page.Size(s.Bytes))}, {Text: "used " + s.Used.Local().Format(time.DateTime)},
			{Text: "asked for as " + cmp.Or(strings.Join(s.Specs, ", "), "nothing: store prune removes it")},
		}}})
	}
	p.Sections(all)
}

func showStored(f *cli.Flags, json bool, args []string) int {
	names := cli.Operands(args)
	if len(names) != 1 {
		return cli.UsageError("store show", "one name of mcp-sandbox store list is needed")
	}
	return withStore(f, "store show", func(in *store.Store) int {
		all, code := chosen(in, names)
		l := listing{Packages: []stored{}}
		var b strings.Builder
		for _, p := range all {
			l.add(p)
			b.WriteString(described(p, l.Packages[len(l.Packages)-1].title()))
		}
		if json {
			return cmp.Or(code, cli.ShowJSON(&l))
		}
		return cmp.Or(code, cli.Show(b.String()))
	})
}

// described is a package in rows for people.
func described(p *store.Package, title string) string {
	scripts := "none is there"
	switch {
	case p.ScriptsRan:
		scripts = "were run"
	case len(p.Scripts) > 0:
		scripts = "not run: " + strings.Join(p.Scripts, ", ")
	}
	at := func(t time.Time) string { return t.Local().Format(time.DateTime) }
	var b strings.Builder
	for _, row := range [...][2]string{
		{"package", title}, {"folder", p.Path}, {"asked for as", strings.Join(p.Specs, ", ")},
		{"registry", p.Registry}, {"integrity", p.Integrity}, {"packages", strconv.Itoa(p.Packages)},
		{"size", page.Size(p.Bytes)}, {"install scripts", scripts},
		{"installed", at(p.Installed)}, {"used", at(p.Used)},
	} {
		fmt.Fprintf(&b, "%-16s %s\n", row[0], text.Printable(cmp.Or(row[1], "-")))
	}
	return b.String()
}
