package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// updateStore resolves again what starts are resolved to.
func updateStore(o *options, args []string) int {
	o.options.NoProgram, o.options.Update = true, true
	var all []store.Resolution
	code := withStore(o, "store update", func(in *store.Store) int {
		names := namesOf(args)
		if len(names) == 0 {
			names = []string{""}
		}
		for _, name := range names {
			found, err := in.Resolutions(name)
			if err == nil && len(found) == 0 && name != "" {
				err = notThere()
			}
			if err != nil {
				return fail("store update: " + text.Quote(name) + ": " + err.Error())
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
			code = fail("store update: " + err.Error())
			continue
		}
		if isExact(start) && whole(o, r.Path) {
			continue
		}
		done, err := prepare(o, start, o.options.Level, false)
		if signalled, ok := errors.AsType[*interrupted](err); ok {
			return signalled.exitCode()
		}
		if err != nil {
			code = fail(text.Printable(err.Error()))
			continue
		}
		l.add(done.Package)
	}
	if code == 0 && len(l.Packages) == 0 {
		say(o, "store update: nothing is newer: no start asks for a range, a tag or whichever version")
	}
	return cmp.Or(code, showListing(o, &l))
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
func whole(o *options, folder string) bool {
	in, err := openStore(o)
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

func verifyStore(o *options, args []string) int {
	return withStore(o, "store verify", func(in *store.Store) int {
		all, changed, code := listed(in, namesOf(args))
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
				code = fail("store verify: " + text.Printable(err.Error()))
			}
			for _, d := range differences {
				add(p, d)
			}
		}
		if o.json {
			b.Reset()
			b.WriteString(asJSON(&found))
		}
		if printed := show(b.String()); printed != 0 || code != 0 {
			return cmp.Or(code, printed)
		}
		if len(found.Differences) > 0 {
			return 1
		}
		return 0
	})
}

func pruneOptions() *options {
	o := newOptions()
	take := func(s string) error {
		o.keep = new(policy.Quantity)
		return o.keep.UnmarshalText([]byte(s))
	}
	o.add("json", "", "print it as JSON", "true", truth(&o.json))
	o.add("keep", "SIZE", "remove the longest unused packages too, until all take at most SIZE", "", take)
	return o
}

func pruneStore(o *options, args []string) int {
	if len(args) > 0 {
		return usageError("mcp-sandbox store prune", "unexpected "+text.Quote(args[0]))
	}
	keep := int64(-1)
	if o.keep != nil {
		keep = int64(*o.keep)
	}
	return withStore(o, "store prune", func(in *store.Store) int {
		done, err := in.Prune(keep)
		if done != nil {
			for _, p := range done.InUse {
				say(o, "store prune: "+p.Name+" "+p.Version+" stays: a server runs from it")
			}
			if code := showPruned(o, done); code != 0 {
				return code
			}
		}
		if err != nil {
			return fail("store prune: " + text.Printable(err.Error()))
		}
		return 0
	})
}

// showPruned prints what was removed and how much is left.
func showPruned(o *options, done *store.Pruned) int {
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
	if found.Removed = append(found.Removed, l.Packages...); o.json {
		return show(asJSON(&found))
	}
	return show(countOf(len(done.Removed), "package") + " removed, " + sizeText(found.Freed) + " freed; " +
		sizeText(done.Bytes) + " left\n")
}
