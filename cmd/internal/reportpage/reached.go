package reportpage

import (
	"fmt"
	"net"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
)

// reached is a line for each host and port with connections.
func (r *Reading) reached() (lines [][]page.Cell) {
	if r.Exited == nil {
		return nil
	}
	for _, e := range first(r.Exited.Egress) {
		lines = append(lines, []page.Cell{{Text: net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port)))},
			{Text: strconv.FormatInt(e.Connections, 10) + " connections"},
			{Text: fmt.Sprintf("%d bytes sent, %d received", e.Sent, e.Received)}})
	}
	if more := len(r.Exited.Egress) - maxListed; more > 0 {
		lines = append(lines, []page.Cell{{Text: "and " + strconv.Itoa(more) + " more"}})
	}
	return lines
}
