package launch

import (
	"strconv"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Of a policy that does not fit the list is named, how long it is, and the folder that would do.
func TestCrowded(t *testing.T) {
	var many, apart []string
	for i := range 3000 {
		many = append(many, "/d/f"+strconv.Itoa(i))
		apart = append(apart, "/"+strconv.Itoa(i)+"/f")
	}
	for _, c := range []struct {
		fs   policy.Filesystem
		want string
	}{
		{policy.Filesystem{DenyRead: many, AllowRead: []string{"/d"}}, "denyRead: 3000 paths, where some 1800 of all keys fit; " +
			"3000 of these lie in /d: name that folder in their place (--deny-read /d)"},
		{policy.Filesystem{AllowWrite: append(apart, many...)}, "allowWrite: 6000 paths, where some 1800 of all keys fit; " +
			"3000 of these lie in /d: name that folder in their place (--allow-write /d)"},
		{policy.Filesystem{AllowRead: apart}, "lay out: " + program.ErrFull.Error()},
	} {
		if got := crowded(&policy.Policy{Filesystem: c.fs}, program.ErrFull); got.Op+": "+got.Err.Error() != c.want {
			t.Errorf("%s: %s, want %s", got.Op, got.Err, c.want)
		}
	}
}
