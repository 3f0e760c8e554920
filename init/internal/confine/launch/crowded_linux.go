package launch

import (
	"errors"
	"path"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// fewestFit is how many paths of a policy fit into a program at least: a grant takes more calls than a denial.
const fewestFit = 1800

// crowded is the refusal of a policy that does not fit into a program. Mostly one list names all that lies in a folder.
func crowded(p *policy.Policy, err error) *order.Refusal {
	r := &order.Refusal{Layer: order.Policy, Op: "lay out", Err: err}
	f, most := &p.Filesystem, 0
	for _, list := range []struct {
		key, flag string
		paths     []string
	}{{"allowRead", "--allow-read", f.AllowRead}, {"allowWrite", "--allow-write", f.AllowWrite},
		{"denyRead", "--deny-read", f.DenyRead}, {"denyWrite", "--deny-write", f.DenyWrite}} {
		in := map[string]int{}
		for _, at := range list.paths {
			folder := path.Dir(at)
			if in[folder]++; in[folder] > most && in[folder] > fewestFit/2 {
				most = in[folder]
				r.Op = list.key
				r.Err = errors.New(strconv.Itoa(len(list.paths)) + " paths, where some " + strconv.Itoa(fewestFit) +
					" of all keys fit; " + strconv.Itoa(most) + " of these lie in " + folder +
					": " + diagnose.InTheirPlace(list.flag, folder))
			}
		}
	}
	return r
}
