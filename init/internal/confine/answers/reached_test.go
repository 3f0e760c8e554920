package answers

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// mounts are those of a table as "type path".
func mounts(table ...string) (all []platform.Mount) {
	for _, line := range table {
		kind, path, _ := strings.Cut(line, " ")
		all = append(all, platform.Mount{Type: kind, Path: path})
	}
	return all
}

// made is a host with links as "path target" and a program. Of what lies in a mount that waits nothing may be asked.
func made(t *testing.T, forbidden string, program string, links ...string) host {
	ask := func(at string) {
		if forbidden != "" && policy.Within(at, forbidden) {
			t.Errorf("%s is looked at", at)
		}
	}
	return host{func(at string) (string, error) {
		ask(at)
		for _, l := range links {
			if path, target, _ := strings.Cut(l, " "); path == at {
				return target, nil
			}
		}
		if at == "/gone" {
			return "", errors.New("not there")
		}
		return "", nil
	}, func(at string) bool { ask(at); return at == program }, func(at string) []string { ask(at); return []string{"l", "p"} }}
}

func TestReached(t *testing.T) {
	fuse := mounts("ext4 /", "tmpfs /tmp", "fuse.sshfs /h/p/fu")
	for _, c := range []struct {
		name      string
		mounts    []platform.Mount
		forbidden string
		looks     []Look
		want      string // path@mount
	}{
		{"nothing that waits", mounts("ext4 /", "tmpfs /h", "fusectl /sys/fs/fuse/connections", "nfsd /proc/fs/nfsd"), "", []Look{{Path: "/h", Below: true}}, ""},
		{"elsewhere", fuse, "/h/p/fu", []Look{{Path: "/h/q", Below: true}, {Path: "/h/p/fun", Below: true}, {Path: "/h/p"}}, ""},
		{"below", fuse, "/h/p/fu", []Look{{Path: "/h/p", Below: true}, {Path: "/h", Below: true}, {Path: "/", Below: true}}, "/h/p/fu@/h/p/fu"},
		{"at", fuse, "/h/p/fu", []Look{{Path: "/h/p/fu"}, {Path: "/h/p/fu/"}, {Path: "/h/p//fu/."}}, "/h/p/fu@/h/p/fu"},
		{"above", fuse, "/h/p/fu", []Look{{Path: "/h/p/fu/a/b"}}, "/h/p/fu/a/b@/h/p/fu"},
		{"links", fuse, "/h/p/fu", []Look{{Path: "/h/l/x"}, {Path: "/h/r"}, {Path: "/h/up", Below: true}, {Path: "/h/l2/y/../z"}},
			"/h/p/fu/x@/h/p/fu /h/p/fu@/h/p/fu /h/p/fu/z@/h/p/fu"},
		{"a loop", fuse, "/h/p/fu", []Look{{Path: "/h/loop"}}, ""},
		{"one in another", mounts("ext4 /", "nfs4 /n", "nfs4 /n/a"), "/n", []Look{{Path: "/n/a/b"}, {Path: "/n", Below: true}}, "/n/a/b@/n/a /n@/n /n/a@/n/a"},
		{"covered by another", mounts("ext4 /", "nfs /n", "tmpfs /n"), "", []Look{{Path: "/n"}}, ""},
		{"over another", mounts("ext4 /", "autofs /n", "nfs /n"), "/n", []Look{{Path: "/n"}}, "/n@/n"},
		{"a home", fuse, "/h/p/fu", []Look{{Path: "/h", Home: true}, {Path: "/h/l/x"}, {Path: "/h/r"}}, "/h/p/fu/x@/h/p/fu"},
		{"what is not there", fuse, "/gone/x", []Look{{Path: "/gone/x/y"}, {Path: "/gone"}}, ""},
		{"systemd's", mounts("ext4 /", "autofs /proc/sys/fs/binfmt_misc"), "", []Look{{Path: "/", Below: true}}, ""},
		{"the root", mounts("9p /", "tmpfs /h"), "", []Look{{Path: "/h", Below: true}}, ""},
		{"the first program", mounts("ext4 /", "nfs /late"), "/late", []Look{{Path: "/bin/x", First: true}, {Path: "/late/x", First: true}, {Path: "/late/y"}}, "/late/y@/late"},
		{"no program before", mounts("ext4 /", "nfs /late"), "/late", []Look{{Path: "/sbin/x", First: true}, {Path: "/late/x", First: true}}, "/late/x@/late"},
	} {
		h := made(t, c.forbidden, "/bin/x", "/h/l p/fu", "/h/r /h/l", "/h/up ../h/p", "/h/l2 /h/r", "/h/loop loop")
		var got []string
		for _, q := range reached(c.mounts, c.looks, h) {
			got = append(got, q.path+"@"+q.mount)
		}
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// A stranger's words do not make a launch ask without end.
func TestQuestionsAreBounded(t *testing.T) {
	looks := make([]Look, 3*mostAsked)
	for i := range looks {
		looks[i].Path = "/n/" + strings.Repeat("x", i)
	}
	for kind, most := range map[string]int{"nfs": mostOfOne, autofs: mostAsked} {
		if n := len(reached(mounts(kind+" /n"), looks, made(t, "/n", ""))); n != most {
			t.Errorf("%s: %d", kind, n)
		}
	}
}
