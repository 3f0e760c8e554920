package policy

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
	if p.Level == LevelNetwork {
		const why = "cannot be held in level network, where the server has the host's network"
		if len(p.Network.AllowedDomains) > 0 {
			errs.Add("/network/allowedDomains", why)
		}
		if len(p.Network.DeniedDomains) > 0 {
			errs.Add("/network/deniedDomains", why)
		}
	}
}
