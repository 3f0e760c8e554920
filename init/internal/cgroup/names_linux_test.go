package cgroup

import "testing"

// What is swept must be sure to be this package's: a user may call a unit as the program is called.
func TestOurs(t *testing.T) {
	name := prefix + letters([]byte("0123456789"))
	for text, want := range map[string]bool{
		name: true, name + suffix: true, name + suffix + suffix: false, name + ".scope": false, name[1:]: false, name + "a": false,
		prefix: false, prefix + suffix: false, prefix + "mcpserver1": false, prefix + "my.service": false, prefix + "ABCDEFGHIJ": false, "": false,
		prefix + "abcdefghij": true, prefix + "abcdefghi": false,
	} {
		if ours(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
