package cgroup

import "testing"

// What is swept must be sure to be this package's: a user may call a unit as the program is called.
func TestOurs(t *testing.T) {
	name := prefix + "ibcdefg234"
	for text, want := range map[string]bool{
		name: true, name + shimSuffix: true, name + shimSuffix + shimSuffix: false, name + ".scope": false, name[1:]: false, name + "a": false,
		prefix: false, prefix + shimSuffix: false, prefix + "mcpserver1": false, prefix + "my.service": false, prefix + "ABCDEFGHIJ": false, "": false,
		prefix + "abcdefghij": true, prefix + "abcdefghi": false,
	} {
		if isSandboxName(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
