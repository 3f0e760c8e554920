package doctor

import "testing"

func TestRootMounted(t *testing.T) {
	const root, proc = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n", "22 27 0:21 / /proc rw,relatime - proc " +
		"proc rw\n"
	for table, want := range map[string]bool{root + proc: true, proc: false, "": false, "no table\n": true} {
		if rootMounted([]byte(table)) != want {
			t.Errorf("%q: not %v", table, want)
		}
	}
}
