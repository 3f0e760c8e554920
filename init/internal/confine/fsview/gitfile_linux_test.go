package fsview

import (
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A repository with a worktree and a submodule, as git makes them.
const worktreeOf = "home/\n repo/.git/HEAD\n repo/.git/config\n repo/.git/hooks/x!\n repo/.git/objects/12/34\n repo/.git/refs/heads/main\n repo/.git/logs/HEAD\n " +
	"repo/.git/worktrees/w/HEAD\n repo/.git/worktrees/w/index\n repo/.git/worktrees/w/commondir = ../..\n repo/.git/worktrees/w/gitdir = T/w/.git\n w/.git = gitdir: T/repo/.git/worktrees/w\n w/a\n " +
	"repo/.git/modules/s/HEAD\n repo/.git/modules/s/objects/\n repo/.git/modules/s/refs/\n repo/.git/modules/s/config = [core]\\nworktree = ../../../s\n repo/s/.git = gitdir: ../.git/modules/s\n repo/s/b"

// The grant of a .git file opens what git writes for a commit, and nothing that leads to another configuration.
func TestGitFile(t *testing.T) {
	const worktree = "repo/.git/worktrees/w/index repo/.git/objects/12/34 repo/.git/refs/heads/main repo/.git/logs/HEAD"
	const held = "w/.git repo/.git/config repo/.git/hooks/x repo/.git/HEAD repo/.git/worktrees/w/commondir repo/.git/worktrees/w/gitdir"
	for _, c := range []struct {
		name           string
		tree           string // besides
		wish           wish
		write, read    string // each path, and the folder that one would be made in
		none           string
		warning, offer string
	}{
		{name: "a worktree", wish: wish{write: []string{"T/w", "T/w/.git"}}, write: worktree + " w/a", read: held},
		{name: "the file alone", wish: wish{write: []string{"T/w/.git"}}, write: worktree, read: held, none: "w/a"},
		{name: "with the repository", wish: wish{write: []string{"T/repo", "T/w/.git"}}, write: worktree + " repo/s/b", read: held},
		{name: "among the checkouts of an agent", tree: "repo/.claude/worktrees/x/.git = gitdir: T/repo/.git/worktrees/x\n repo/.claude/worktrees/x/c\n repo/.git/worktrees/x/commondir = ../..\n repo/.git/worktrees/x/index\n repo/.git/worktrees/x/gitdir = T/repo/.claude/worktrees/x/.git",
			wish:  wish{write: []string{"T/repo", "T/repo/.claude/worktrees/x", "T/repo/.claude/worktrees/x/.git"}},
			write: "repo/.claude/worktrees/x/c repo/.git/worktrees/x/index repo/.git/objects/12/34", read: "repo/.git/config repo/.claude repo/.claude/worktrees/x/.git repo/.git/worktrees/w/index"},
		{name: "not granted", wish: wish{write: []string{"T/w"}}, write: "w/a", read: "w/.git repo/.git/worktrees/w/index repo/.git/refs/heads/main"},
		{name: "strict", wish: wish{write: []string{"T/w", "T/w/.git"}, level: policy.Strict}, read: "w/a w/.git", none: "repo/.git/worktrees/w/index"},
		{name: "a configuration of its own", tree: "repo/.git/worktrees/w/config.worktree\n repo/.git/worktrees/w/modules/m/config", wish: wish{write: []string{"T/w/.git"}}, write: worktree,
			read: held + " repo/.git/worktrees/w/config.worktree repo/.git/worktrees/w/modules/m/config"},
		{name: "a submodule", wish: wish{write: []string{"T/repo/s", "T/repo/s/.git"}}, write: "repo/s/b repo/s/.git repo/.git/modules/s/HEAD repo/.git/modules/s/config", none: "repo/.git/config",
			warning: "T/repo/.git/modules/s is writable: hooks and configuration"},
		{name: "denied by the user", wish: wish{write: []string{"T/w/.git"}, noRead: []string{"T/repo/.git"}}, none: "repo/.git/worktrees/w/index repo/.git/objects/12/34"},
		{name: "denied for writing", wish: wish{write: []string{"T/repo", "T/w/.git"}, noWrite: []string{"T/repo/.git"}}, read: "repo/.git/worktrees/w/index repo/.git/objects/12/34"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, worktreeOf+"\n "+c.tree)
			e, err := Explain(c.wish.request(root))
			must(t, err)
			for kind, want := range map[string]access{c.write: {read: true, write: true}, c.read: {read: true}, c.none: {}} {
				for _, path := range strings.Fields(kind) {
					if s := e.Find(root + "/" + path); s.Read != want.read || s.Write != want.write {
						t.Errorf("%s: read %t, write %t, want %+v", path, s.Read, s.Write, want)
					}
				}
			}
			warned := slices.DeleteFunc(relative(root, e.View.Warnings), func(w string) bool { return strings.Contains(w, "level strict") })
			links := func(w string) bool { return strings.Contains(w, "follows links there") }
			if slices.ContainsFunc(warned, links) != strings.Contains(c.write, "/worktrees/") {
				t.Errorf("warnings %q", warned)
			}
			warned = slices.DeleteFunc(warned, links)
			if is := strings.Join(warned, "\n"); (c.warning == "") != (is == "") || !strings.Contains(is, c.warning) {
				t.Errorf("warnings %q", is)
			}
		})
	}
}

// A configuration for the worktree alone that is missing, and that the repository reads, is told of.
func TestGitFileWorktreeConfig(t *testing.T) {
	for config, want := range map[string]bool{"[extensions]\\nworktreeConfig = true": true, "[extensions]\\nworktreeConfig": true, "[extensions]\\nworktreeConfig = false": false, "": false} {
		root := plant(t, strings.Replace(worktreeOf, "repo/.git/config\n", "repo/.git/config = "+config+"\n", 1))
		v, err := Plan(wish{write: []string{"T/w/.git"}}.request(root))
		must(t, err)
		at := root + "/repo/.git/worktrees/w/config.worktree"
		if is := strings.Contains(strings.Join(v.Warnings, " "), at); is != want || !slices.Contains(v.Unprotected, at) {
			t.Errorf("%q: %q, %q", config, v.Warnings, v.Unprotected)
		}
	}
}

// What a .git file names is opened only where that names the file back: the file can be a stranger's.
func TestGitFileOfStrangers(t *testing.T) {
	for _, c := range []struct{ name, tree string }{
		{"a folder of keys", "w/.git = gitdir: T/victim"},
		{"another worktree's", "w/.git = gitdir: T/repo/.git/worktrees/w\n repo/.git/worktrees/w/gitdir = T/other/.git\n other/.git"},
		{"a repository", "w/.git = gitdir: T/repo/.git"},
		{"a submodule's of another", "w/.git = gitdir: T/repo/.git/modules/s"},
		{"by a link", "w/.git = gitdir: lead\n w/lead -> ../victim"},
		{"without a repository around", "w/.git = gitdir: ../victim\n victim/gitdir = T/w/.git\n victim/commondir = ."},
		{"with the repository elsewhere", "w/.git = gitdir: ../victim/worktrees/x\n victim/worktrees/x/gitdir = T/w/.git\n victim/worktrees/x/commondir = T/repo/.git"},
		{"to nowhere", "w/.git = gitdir: T/none"},
		{"no name", "w/.git = x"},
		{"the kernel's", "w/.git = gitdir: /proc/self"},
		{"the home", "w/.git = gitdir: T/home\n home/gitdir = T/w/.git\n home/commondir = .."},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, strings.ReplaceAll(strings.ReplaceAll(worktreeOf, "w/.git = gitdir: T/repo/.git/worktrees/w\n ", ""), "repo/.git/worktrees/w/gitdir = T/w/.git\n ", "")+
				"\n victim/id_rsa\n victim/HEAD\n "+c.tree)
			r := wish{write: []string{"T/w", "T/w/.git"}}.request(root)
			e, err := Explain(r)
			must(t, err)
			for _, path := range []string{"victim/id_rsa", "victim/worktrees/x/gitdir", "repo/.git/worktrees/w/HEAD", "repo/.git/objects/12/34", "repo/.git/modules/s/HEAD", "home/gitdir"} {
				named := strings.Contains(c.tree, "gitdir = T/w/.git") // by what names it back, and may be read
				if s := e.Find(root + "/" + path); s.Host() && (s.Read && !named || s.Write) {
					t.Errorf("%s: read %t, write %t", path, s.Read, s.Write)
				}
			}
			if !strings.Contains(strings.Join(e.View.Warnings, " "), "is granted, and nothing that it names") {
				t.Errorf("warnings %q", e.View.Warnings)
			}
			plain, err := Explain(wish{write: []string{"T/w"}}.request(root))
			must(t, err)
			if _, err := OfferOf(plain, root+"/w/.git", true); err == nil {
				t.Error("the grant is offered")
			}
		})
	}
}

// Folders of the common one that are links are the maker's choice, and not opened.
func TestGitFileLinkedParts(t *testing.T) {
	root := plant(t, strings.ReplaceAll(worktreeOf, "repo/.git/logs/HEAD\n", "repo/.git/logs -> T/victim\n")+"\n victim/x")
	e, err := Explain(wish{write: []string{"T/w/.git"}}.request(root))
	must(t, err)
	if s := e.Find(root + "/victim/x"); s.Read || s.Write {
		t.Errorf("%+v", s)
	}
	if s := e.Find(root + "/repo/.git/refs/heads/main"); !s.Write {
		t.Errorf("control: %+v", s)
	}
}
