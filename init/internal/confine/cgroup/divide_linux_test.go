package cgroup

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// A group with processes of others is not divided, and the error says so: that is what a unit's group is whose host
// runs in it, delegated or not.
func TestOccupied(t *testing.T) {
	mine := func() []int { return []int{os.Getpid()} }
	for _, c := range []struct {
		name, procs string
		move        bool
		want        error
	}{
		{"nobody is in it", "", false, nil},
		{"this launch", strconv.Itoa(os.Getpid()), false, errOccupied},
		{"a host, beside this launch", "1\n" + strconv.Itoa(os.Getpid()), true, errOccupied},
		{"a host of another pid namespace", "0\n" + strconv.Itoa(os.Getpid()), true, errOccupied},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"cgroup.type": "domain", "cgroup.procs": c.procs} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		base, err := openFolder(unix.AT_FDCWD, dir)
		if err != nil {
			t.Fatal(err)
		}
		g := &Group{parent: base}
		if err := g.emptyParent(&Request{Own: mine}, c.move); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		base.close()
	}
}
