package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/installing"
	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// updateStore resolves again what starts are resolved to.
func updateStore(f *cli.Flags, i *installing.Installer, json bool, args []string) int {
	i.Options.Update = true
	var all []store.Resolution
	code := withStore(f, "store update", func(in *store.Store) int {
		names := cli.Operands(args)
		if len(names) == 0 {
			names = []string{""}
		}
		for _, name := range names {
			found, err := in.Resolutions(name)
			if err == nil && len(found) == 0 && name != "" {
				err = notThere()
			}
			if err != nil {
				return cli.Fail("store update: " + text.Quote(name) + ": " + err.Error())
			}
			all = append(all, found...)
		}
		return 0
	})
	if code != 0 {
		return code
	}
	var l listing
	for _, r := range all {
		start, err := startOf(r)
		if err != nil {
			code = cli.Fail("store update: " + err.Error())
			continue
		}
		if isExact(start) && whole(f, r.Path) {
			continue
		}
		done, err := i.Prepare(start, i.Options.Level, false)
		if ended := installing.ExitCode(err); ended != 0 {
			return ended
		}
		if err != nil {
			code = cli.Fail(text.Printable(err.Error()))
			continue
		}
		l.add(done.Package)
	}
	if code == 0 && len(l.Packages) == 0 {
		f.Stderr.Say("store update: nothing is newer: no start asks for a range, a tag or whichever version")
	}
	return cmp.Or(code, showListing(json, &l))
}

// startOf is the start whose specs are resolved.
func startOf(r store.Resolution) (*startline.Start, error) {
	start := &startline.Start{Manager: r.Manager, Tool: r.Manager, Program: r.Manager}
	for _, text := range r.Specs {
		s, err := startline.ParseSpec(text)
		if err != nil {
			return nil, err
		}
		start.Specs = append(start.Specs, s)
	}
	return start, nil
}

func isExact(start *startline.Start) bool {
	return !slices.ContainsFunc(start.Specs, func(s startline.Spec) bool { return !s.Exact() })
}

// whole reports whether a package in a folder is what was installed.
func whole(f *cli.Flags, folder string) bool {
	in, err := installing.OpenStore(f)
	if err != nil {
		return false
	}
	defer in.Close()
	all, _, _ := in.List()
	i := slices.IndexFunc(all, func(p *store.Package) bool { return p.Path == folder })
	if i < 0 {
		return false
	}
	differences, err := all[i].Verify()
	return err == nil && len(differences) == 0
}

func verifyStore(f *cli.Flags, json bool, args []string) int {
	return withStore(f, "store verify", func(in *store.Store) int {
		all, changed, code := listed(in, cli.Operands(args))
		type difference struct {
			Package string `json:"package"`
			Path    string `json:"path"`
			What    string `json:"what"`
		}
		found := struct {
			Packages    int          `json:"packages"`
			Differences []difference `json:"differences"`
		}{len(all) + len(changed), []difference{}}
		var b strings.Builder
		add := func(p *store.Package, d store.Difference) {
			at := strings.TrimSuffix(p.Path+"/"+d.Path, "/")
			found.Differences = append(found.Differences, difference{p.Manager + ":" + p.Name, at, d.What})
			fmt.Fprintf(&b, "%s: %s\n", text.Printable(at), d.What)
		}
		for _, c := range changed {
			add(c.Package, c.First)
		}
		for _, p := range all {
			differences, err := p.Verify()
			if err != nil {
				code = cli.Fail("store verify: " + text.Printable(err.Error()))
			}
			for _, d := range differences {
				add(p, d)
			}
		}
		if json {
			b.Reset()
			b.WriteString(cli.AsJSON(&found))
		}
		if printed := cli.Show(b.String()); printed != 0 || code != 0 {
			return cmp.Or(code, printed)
		}
		if len(found.Differences) > 0 {
			return 1
		}
		return 0
	})
}

func setupPrune(f *cli.Flags) cli.Run {
	json := f.JSON()
	var keep *policy.Quantity
	f.Value("keep", "SIZE", "remove the longest unused packages too, until all take at most SIZE",
		func(s string) error {
			keep = new(policy.Quantity)
			return keep.UnmarshalText([]byte(s))
		})
	return func(args []string) int {
		if err := cli.NoOperand(args); err != nil {
			return cli.UsageError("store prune", err.Error())
		}
		most := int64(-1)
		if keep != nil {
			most = int64(*keep)
		}
		return withStore(f, "store prune", func(in *store.Store) int { return prune(f, in, most, *json) })
	}
}

func prune(f *cli.Flags, in *store.Store, most int64, json bool) int {
	done, err := in.Prune(most)
	if done != nil {
		for _, p := range done.InUse {
			f.Stderr.Say("store prune: " + p.Name + " " + p.Version + " stays: a server runs from it")
		}
		if code := showPruned(json, done); code != 0 {
			return code
		}
	}
	if err != nil {
		return cli.Fail("store prune: " + text.Printable(err.Error()))
	}
	return 0
}

// showPruned prints what was removed and how much is left.
func showPruned(json bool, done *store.Pruned) int {
	found := struct {
		Removed []stored `json:"removed"`
		Freed   int64    `json:"freed"`
		Left    int64    `json:"left"`
	}{[]stored{}, 0, done.Bytes}
	var l listing
	for _, p := range done.Removed {
		l.add(p)
		found.Freed += p.Bytes
	}
	if found.Removed = append(found.Removed, l.Packages...); json {
		return cli.ShowJSON(&found)
	}
	return cli.Show(text.Count(len(done.Removed), "package") + " removed, " + page.Size(found.Freed) + " freed; " +
		page.Size(done.Bytes) + " left\n")
}
