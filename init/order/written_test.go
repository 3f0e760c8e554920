package order

import (
	"errors"
	"fmt"
	"testing"
)

func TestLine(t *testing.T) {
	g := &Guide{Places: []Place{{"filesystem.allowRead", "/a", "--allow-read /a"}, {"cwd", "/a", "p.json: /cwd /a"}}}
	socket := errors.New("is a socket")
	for _, c := range []struct {
		err  error
		want string
	}{
		{&Refusal{Layer: Policy, Op: "allowRead", Path: "/a", Err: socket}, "--allow-read /a: is a socket"},
		{&Refusal{Layer: Policy, Op: "filesystem.allowRead", Path: "/a", Err: socket}, "--allow-read /a: is a socket"},
		{fmt.Errorf("%w (create it)", &Refusal{Layer: Policy, Op: "cwd", Path: "/a", Err: socket}), "p.json: /cwd /a: is a socket (create it)"},
		{&Refusal{Layer: Policy, Op: "allowRead", Path: "/ab", Err: socket}, "policy: allowRead /ab: is a socket"},
		{&Refusal{Layer: Policy, Op: "Read", Path: "/a", Err: socket}, "policy: Read /a: is a socket"},
		{&Refusal{Layer: Exec, Op: "cwd", Path: "/a", Err: socket}, "exec: cwd /a: is a socket"},
		{fmt.Errorf("first: %w", &Refusal{Layer: Policy, Op: "cwd", Path: "/a", Err: socket}), "first: policy: cwd /a: is a socket"},
	} {
		if got := g.Line(c.err); got != c.want {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
	}
}
