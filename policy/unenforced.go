package policy

// unenforced are the keys of section network that parse, and whose values nothing enforces yet. A key that becomes
// enforced is deleted here, and its row in the test moves.
//
// No default of level standard or network is in it, written out or not, so that what "policy show" prints can
// be launched.
var unenforced = [...]string{}

// Unenforced is an [Errors] with every value of a valid policy that this version does not enforce, or nil. A
// launcher refuses such a policy, whose promise would not hold. The result is the same before and after
// [Policy.Effective].
func Unenforced(p Policy) error {
	var errs Errors
	p = p.Effective(Init)
	for _, name := range unenforced {
		if k := find("network", name); !k.slot(&p).empty() {
			errs.Add(at(k.String()), "not enforced yet by this version; remove it")
		}
	}
	return errs.Err()
}
