package policy

// missing is a value that parses and that nothing enforces yet.
type missing struct {
	key  string
	used func(*Policy) bool
}

// unenforced is the whole list. Whoever makes a value hold deletes its line here and moves its row in the test.
//
// No default of level standard or network is in it, written out or not, so that what "policy show" prints can
// be launched.
var unenforced = [...]missing{
	{"network.allowedDomains", func(p *Policy) bool { return len(p.Network.AllowedDomains) > 0 }},
	{"network.deniedDomains", func(p *Policy) bool { return len(p.Network.DeniedDomains) > 0 }},
	{"network.allowPrivate", func(p *Policy) bool { return p.Network.AllowPrivate }},
	{"network.allowUnixSockets", func(p *Policy) bool { return len(p.Network.AllowUnixSockets) > 0 }},
}

// Unenforced is an [Errors] with every value of a valid policy that this version does not enforce, and nil if
// it enforces all. A launcher refuses such a policy: it would promise what does not hold. It makes no
// difference whether the policy is [Policy.Effective] already.
func Unenforced(p Policy) error {
	var errs Errors
	p = p.Effective(Init)
	for i := range unenforced {
		if m := &unenforced[i]; m.used(&p) {
			errs.Add(at(m.key), "not enforced yet by this version; remove it")
		}
	}
	return errs.Err()
}
