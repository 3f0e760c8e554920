// Package report writes what a launch tells: lines of JSON, to the descriptor that the user named and to the host.
//
//	out := report.Sink{Report: order.ReportFD, Host: -1}
//	err := out.First(report.Enforced(order, &policy, policy.Full)) // no server is released without it
//	out.Last(&exited)
//
// It finds nothing out: what holds and how a server ended is its caller's. A reader that does not read costs a
// launch no more than [Sink.First] waits, and a server that runs nothing.
package report

import (
	"crypto/sha256"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Enforced is the first line as far as the order tells it.
func Enforced(o *order.Order, p *policy.Policy, reached policy.Confinement) *order.Enforced {
	return &order.Enforced{Event: "enforced", Version: 1, Level: string(p.Level), Confinement: string(reached),
		MinConfinement: string(p.MinConfinement), PolicySHA256: hexSHA256(o.Policy),
		Command: o.Command, EnvDropped: o.Dropped}
}

// hexSHA256 is the SHA-256 of data as 64 lower-case digits. Package encoding/hex would link fmt.
func hexSHA256(data []byte) string {
	const digits = "0123456789abcdef"
	sum := sha256.Sum256(data)
	text := make([]byte, 0, 2*len(sum))
	for _, b := range sum {
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}
