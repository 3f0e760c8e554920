package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// stateName makes the name of a state of a package: of "npm:@x/y" it is "npm-x-y". policy.CheckState has the rule.
func stateName(id string) string {
	const longest = 64
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		case r == '@':
			return -1
		}
		return '-'
	}, id)
	if len(name) > longest {
		sum := sha256.Sum256([]byte(id))
		name = name[:longest-9] + "-" + hex.EncodeToString(sum[:4])
	}
	return name
}

// OfState is the package whose profile gives a home that lasts this name; "" for none.
func OfState(name string) string {
	all, _ := All()
	for _, p := range all {
		if p.State && p.StateName() == name {
			return p.Package
		}
	}
	return ""
}
