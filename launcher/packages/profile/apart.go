package profile

import (
	"path/filepath"
	"runtime"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// apart is the notice of write grants between which a server that moves files cannot: rename(2) between two mounts is
// EXDEV, which happens without a sandbox on two disks alone.
func apart(l *limits, writes []string, dir string) []order.Notice {
	if runtime.GOOS != "linux" {
		return nil
	}
	var grants []string
	for _, path := range writes {
		grants = append(grants, l.found(path, dir))
	}
	slices.Sort(grants)
	for i := 1; i < len(grants); i++ {
		if platform.Within(grants[i], grants[0]) {
			continue
		}
		above := filepath.Dir(grants[0])
		for !platform.Within(grants[i], above) {
			above = filepath.Dir(above)
		}
		if l.why(folder{written: above, real: above, write: true}) != "" || above == "/" {
			above = ""
		}
		n := order.Notice{Kind: order.NoticeApart, Name: grants[i], Line: notice.Apart(grants[0], grants[i], above)}
		if above != "" {
			n.Flag = "--allow-write " + text.Shell(above)
		}
		return []order.Notice{n}
	}
	return nil
}
