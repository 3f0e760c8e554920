package fsview

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// What is protected is protected wherever it is mounted besides: the home at a second place, a part of it, or a place of which
// the home is a part. The mounts are those of a namespace of the test's own.
func TestProtectedByAnotherMount(t *testing.T) {
	if !testbed.OwnMounts(t) {
		return
	}
	const tree = "home/.bashrc\n home/.config/fish/x\n home/.ssh/config -> ../dot\n home/dot\n home/p/.git/config = [core]\\nhooksPath = T/home/p/w\n home/p/w/x\n home/p/.vscode/x\n second/\n q/part/\n data/home/.bashrc\n conf/policy"
	for _, c := range []struct {
		name, from, to string
		write          string
		want           string
		missing        string
		err            error
	}{
		{name: "control", from: "q", to: "second", write: "second"},
		{name: "the home", from: "home", to: "second", write: "second", missing: "second/.zshrc",
			want: "frozen T/second/.bashrc\n frozen T/second/.config/fish\n frozen T/second/.ssh\n frozen T/second/dot\n frozen T/second/p/.git\n frozen T/second/p/.vscode\n frozen T/second/p/w"},
		{name: "below the grant", from: "home", to: "q/part", write: "q",
			want: "frozen T/q/part/.bashrc\n frozen T/q/part/.config/fish\n frozen T/q/part/.ssh\n frozen T/q/part/dot\n frozen T/q/part/p/.git\n frozen T/q/part/p/.vscode\n frozen T/q/part/p/w"},
		{name: "a part of the home", from: "home/.config", to: "second", write: "second", missing: "second/nvim", want: "frozen T/second/fish"},
		{name: "the home is a part of it", from: "data/home", to: "home", write: "data", missing: "data/home/.zshrc", want: "frozen T/data/home/.bashrc"},
		{name: "a protected folder", from: "home/.config/fish", to: "second", write: "second", err: ErrProtected},
		{name: "settings", from: "home/p/.vscode", to: "second", write: "second", err: ErrProtected},
		{name: "a part of a protected folder below the grant", from: "home/.config/fish", to: "q/part", write: "q", want: "frozen T/q/part"},
		{name: "the policy", from: "conf", to: "second", write: "second", want: "frozen T/second/policy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			must(t, unix.Mount(root+"/"+c.from, root+"/"+c.to, "", unix.MS_BIND, ""))
			defer func() { _ = unix.Unmount(root+"/"+c.to, unix.MNT_DETACH) }()
			r := wish{write: []string{"T/" + c.write}}.request(root)
			r.Own = []string{root + "/conf/policy"}
			v, err := Plan(r)
			if !errors.Is(err, c.err) {
				t.Fatalf("%v, want %v", err, c.err)
			}
			if err != nil {
				return
			}
			same(t, "covers", covers(v, root), lines(c.want))
			if c.missing != "" && !slices.Contains(v.Unprotected, root+"/"+c.missing) {
				t.Errorf("%s is not told: %s", c.missing, strings.Join(relative(root, v.Unprotected), " "))
			}
		})
	}
}
