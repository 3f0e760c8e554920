package fsview

import (
	"strings"
	"testing"
)

// What is held of the folder in which a server works, each with the flag that helps or with none.
func TestWithheldAt(t *testing.T) {
	const tree = worktreeOf + "\n repo/.claude/worktrees/x/.git = gitdir: T/repo/.git/worktrees/x\n repo/.claude/worktrees/x/c\n " +
		"repo/.git/worktrees/x/commondir = ../..\n repo/.git/worktrees/x/gitdir = T/repo/.claude/worktrees/x/.git\n repo/.vscode/x\n repo/d/x\n " +
		"apart/.git = gitdir: T/dir\n dir/HEAD\n dir/objects/x\n dir/refs/x\n forged/.git = gitdir: T/other\n other/HEAD\n " +
		"led/.git -> T/repo/.git\n store/.git -> T/dir\n lead/.git -> T/home\n " +
		"b/HEAD\n b/objects/x\n b/refs/x\n b/worktrees/bw/commondir = ../..\n b/worktrees/bw/gitdir = T/bw/.git\n bw/.git = gitdir: T/b/worktrees/bw"
	for _, c := range []struct {
		name, at string
		write    []string
		want     string
	}{
		{"a repository", "repo/d", []string{"T/repo"}, "T/repo/.git --allow-write T/repo/.git"},
		{"a repository that is granted", "repo/d", []string{"T/repo", "T/repo/.git"}, ""},
		{"a worktree", "w", []string{"T/w"}, "T/w/.git --allow-write T/w/.git"},
		{"a worktree whose file is granted", "w", []string{"T/w", "T/w/.git"}, ""},
		{"an agent's", "repo/.claude/worktrees/x", []string{"T/repo"},
			"T/repo/.claude/worktrees/x --allow-write T/repo/.claude/worktrees/x\n T/repo/.claude/worktrees/x/.git --allow-write T/repo/.claude/worktrees/x/.git"},
		{"one that is elsewhere", "apart", []string{"T/apart"}, "T/apart/.git  T/dir"},
		{"and is granted", "apart", []string{"T/apart", "T/dir"}, ""},
		{"a file that names no repository", "forged", []string{"T/forged"}, "T/forged/.git"},
		{"a link that a server may have made", "led", []string{"T/led"}, "T/led/.git  T/repo/.git"},
		{"to one in another grant", "led", []string{"T/led", "T/repo"}, "T/led/.git  T/repo/.git"},
		{"to a repository of another name", "store", []string{"T/store"}, "T/store/.git  T/dir"},
		{"and is granted by name", "led", []string{"T/led", "T/repo/.git"}, ""},
		{"to no repository", "lead", []string{"T/lead"}, "T/lead/.git"},
		{"a worktree of a bare repository", "bw", []string{"T/bw"}, "T/bw/.git --allow-write T/bw/.git\n T/b/logs  unmade"},
		{"whose file is granted", "bw", []string{"T/bw", "T/bw/.git"}, "T/b/logs  unmade"},
		{"which is granted", "bw", []string{"T/bw", "T/b"}, "T/bw/.git --allow-write T/bw/.git"},
		{"settings", "repo/.vscode", []string{"T/repo"}, "T/repo/.vscode\n T/repo/.git --allow-write T/repo/.git"},
		{"nothing is granted", "w", nil, ""},
		{"the repository itself", "repo/.git/refs", []string{"T/repo"}, "T/repo/.git --allow-write T/repo/.git"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			e, err := Explain(wish{write: c.write}.request(root))
			must(t, err)
			var got []string
			for _, w := range WithheldAt(e, root+"/"+c.at) {
				got = append(got, strings.TrimSpace(w.At+" "+w.Offer.Flag+" "+w.Offer.Path+w.Named+map[bool]string{true: "unmade"}[w.Unmade]))
			}
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], root, "T")
			}
			same(t, "withheld", got, lines(c.want))
		})
	}
}
