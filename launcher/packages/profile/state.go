package profile

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
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

// OfState is the package with the profile that gives a home that lasts this name; "" for none.
func OfState(name string) string {
	found := ""
	_ = fs.WalkDir(data, "data", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		id := idOf(path)
		if !strings.EqualFold(stateName(id), name) { // as some file systems compare
			return nil
		}
		if p, err := ByName(id); err == nil && p.State {
			found = id
		}
		return fs.SkipAll
	})
	return found
}
