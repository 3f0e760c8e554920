package fsview

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// An entry sets PATH: a command is not looked for behind long links without end, and one before these is found.
func TestPathIsBounded(t *testing.T) {
	root := plant(t, "home/\n bin/tool!\n far/d/")
	var folders []string
	for i := range 60 {
		at := fmt.Sprint(root, "/far/", i)
		must(t, os.Symlink(strings.Repeat("d/../", 600)+"d", at))
		folders = append(folders, at)
	}
	for path, found := range map[string]bool{
		root + "/bin:" + strings.Join(folders, ":"):           true,
		strings.Join(folders[:20], ":") + ":" + root + "/bin": true,
		strings.Join(folders, ":") + ":" + root + "/bin":      false,
	} {
		r := wish{}.request(root)
		r.Command, r.Env = []string{"tool"}, append(r.Env, "PATH="+path)
		_, err := Plan(r)
		missing, _ := errors.AsType[*CommandError](err)
		if found != (err == nil) || !found && (missing == nil || missing.Kind != ErrNotFound) {
			t.Errorf("%.40s…%s: %v", path, path[len(path)-20:], err)
		}
	}
}
