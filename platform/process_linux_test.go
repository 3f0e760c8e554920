package platform

import (
	"os"
	"testing"
)

// Argument 0 is anybody's word; what was executed the kernel knows, without /proc as well.
func TestExecuted(t *testing.T) {
	old := os.Args
	defer func() { os.Args = old }()
	os.Args = []string{"/bin/sh"}
	path, err := Executed()
	if err != nil {
		t.Fatal(err)
	}
	got, err1 := os.Stat(path)
	want, err2 := os.Stat("/proc/self/exe")
	if err1 != nil || err2 != nil || !os.SameFile(got, want) {
		t.Errorf("%s: %v %v", path, err1, err2)
	}
}
