package withheld

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// references are the notices of the server's variables whose values only name what should stand there. The value is in
// no notice.
func references(env []string) (all []order.Notice) {
	const always = " HOME LOGNAME PATH SHELL TERM USER LANG TZ "
	for _, entry := range env {
		variable, value, _ := strings.Cut(entry, "=")
		if form := notice.ReferenceIn(value); form != "" && !strings.Contains(always, " "+variable+" ") {
			all = append(all, order.Notice{Kind: order.NoticeReference, Name: variable,
				Line: notice.Reference(variable, form)})
		}
		if len(all) == maxVariables {
			break
		}
	}
	return all
}
