package ladder

import (
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// AllRefused is the error of the strongest confinement's refusal where no confinement was reached that may start the
// server.
type AllRefused struct {
	Refused []*order.Refusal   // the strongest first
	Next    policy.Confinement // which would be tried if the policy allowed it
}

// allRefused is the refusal of the strongest confinement, with those of the others behind it.
func allRefused(refused []*order.Refusal, next policy.Confinement) error {
	r := *refused[0]
	r.Err = AllRefused{refused, next}
	return &r
}

func (a AllRefused) Error() string {
	text, last := a.Refused[0].Err.Error(), a.Refused[0].Error()
	for _, r := range a.Refused[1:] {
		if also := r.Error(); also != last { // where the same step is refused in each, once is enough
			text, last = text+"; and with less confinement "+also, also
		}
	}
	return text
}

func (a AllRefused) Unwrap() error { return a.Refused[0].Err }

// Keys of the policy. Their refusals have a way out of their own: level network.
const (
	AllowedDomains = "network.allowedDomains"
	Publish        = "network.publish"
)

// Unheld is the error of a denial or of a list of domains that a confinement cannot hold.
type Unheld struct {
	Confinement policy.Confinement
	Refused     []*order.Refusal // the stronger confinements
	why         string
}

func (u Unheld) Error() string {
	text := "cannot be held by confinement " + string(u.Confinement)
	if u.why == "" { // level privileged asked for it
		return text
	}
	return text + ", and a stronger one was refused by this machine: " + u.why
}
