package privdir

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// A folder that nobody has locked is of a launcher that was killed: the next launch removes it, and no other. Nobody but the
// owner may enter it, and the end of a launch removes it with what is in it.
func TestFolder(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TMP", base)
	t.Setenv("TEMP", base)
	living, err := Make(Request{Folders: []string{"home", `home\deep`}})
	if err != nil {
		t.Fatal(err)
	}
	if others, err := living.Others(); len(others) > 0 || err != nil {
		t.Errorf("others may enter: %q, %v", others, err)
	}
	killed, err := Make(Request{Folders: []string{"home"}})
	if err != nil {
		t.Fatal(err)
	}
	windows.CloseHandle(killed.lock)
	os.Mkdir(filepath.Join(base, Prefix+"somebody"), 0o700)
	next, err := Make(Request{})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{living.Path + `\home\deep`: true, killed.Path: false, next.Path: true,
		filepath.Join(base, Prefix+"somebody"): true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", path, err, want)
		}
	}
	for _, d := range []Dir{living, next} {
		path := d.Path
		d.Remove(AtEnd(nil))
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}
