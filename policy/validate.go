package policy

import "strconv"

// Validate checks a policy that was not parsed: everything that [Parse] demands of a document. The error is an
// [Errors].
func (p Policy) Validate() error {
	var errs Errors
	for i := range keys {
		k := &keys[i]
		k.slot(&p).check(&keyErrors{&errs, k})
	}
	p.relations(&errs)
	return errs.Err()
}

// relations reports values that are right alone and wrong together.
func (p *Policy) relations(errs *Errors) {
	if p.Level == Privileged && p.State != "" {
		errs.Add("/state", "level privileged has the host's home, and no other")
	}
	if p.Level == Privileged && p.MinConfinement != "" && p.MinConfinement != None {
		errs.Add("/minConfinement", "level privileged confines nothing, which is less than "+string(p.MinConfinement))
	}
	if p.Level == LevelNetwork || p.Level == Privileged {
		why := "cannot be held in level " + string(p.Level) + ", where the server has the host's network"
		for _, name := range [...]string{"allowedDomains", "deniedDomains", "publish"} {
			if k := find("network", name); !k.slot(p).empty() {
				errs.Add(at(k.String()), why)
			}
		}
	}
	if n := ports(p.Network.AllowedDomains); n > maxPorts {
		errs.Add("/network/allowedDomains", "has "+strconv.Itoa(n)+" different ports together, and "+
			strconv.Itoa(maxPorts)+" can be opened")
	}
}
