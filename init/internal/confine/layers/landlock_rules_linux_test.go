package layers

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// TestRulesAreListed: which rights each kind of place gets, in each confinement that has rules, and with which open its rule
// is tried. A right more is a change of the golden file.
func TestRulesAreListed(t *testing.T) {
	rights := strings.Fields("execute write_file read_file read_dir remove_dir remove_file make_char make_dir make_reg make_sock make_fifo " +
		"make_block make_sym refer truncate ioctl_dev resolve_unix")
	var got strings.Builder
	for _, confinement := range []policy.Confinement{policy.Full, policy.Reduced} {
		v := &fsview.View{Nodes: []fsview.Node{
			{Path: "/usr", Kind: fsview.Bind, Folder: true}, {Path: "/srv/w", Kind: fsview.Bind, Folder: true, Write: true},
			{Path: "/srv/file", Kind: fsview.Bind}, {Path: "/srv/written", Kind: fsview.Bind, Write: true}, {Path: "/dev/null", Kind: fsview.Bind, Device: true},
			{Path: "/run/socket", Kind: fsview.Bind, Socket: true},
		}, Private: []fsview.Node{{Path: "/tmp", Mode: 0o1777}, {Path: "/dev/shm", Mode: 0o1777}, {Path: "/carries", Mode: 0o555}}}
		for i := range v.Nodes {
			v.Nodes[i].Source = v.Nodes[i].Path
		}
		list := landlockRules
		if confinement == policy.Reduced {
			list = landlockRulesShared
		}
		for _, r := range list(v) {
			fmt.Fprintf(&got, "%-8s %-13s", confinement, r.path)
			for i, name := range rights {
				if r.rights&(1<<i) != 0 {
					got.WriteString(" " + name)
				}
			}
			trial := fmt.Sprintf("%#o", r.flags&^unix.O_CLOEXEC)
			if r.private {
				trial = "mknod"
			}
			if r.socket {
				trial = "connect, by row allowedSockets"
			}
			got.WriteString("; tried with " + trial + "\n")
		}
	}
	const file = "testdata/rules.golden"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || got.String() != string(want) {
		t.Errorf("%v; the rules are\n%s\nand were\n%s", err, got.String(), want)
	}
}
