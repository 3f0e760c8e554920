//go:build unix

package platform

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A path goes through links as the kernel has it, but not through long ones without end.
func TestFollow(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = errors.Join(os.MkdirAll(dir+"/real/sub", 0o700), os.WriteFile(dir+"/real/file", nil, 0o600))
	}
	links := map[string]string{"absolute": dir + "/real", "relative": "../" + filepath.Base(dir) + "/./real/", "two": "absolute", "loop": "loop",
		"none": "nowhere/else", "sub": "real/sub", "long": strings.Repeat("real/../", 128) + "real", "l0": "real"}
	for i := range 41 {
		links["l"+string(rune('1'+i))] = "l" + string(rune('0'+i))
	}
	for name, target := range links {
		err = errors.Join(err, os.Symlink(target, filepath.Join(dir, name)))
	}
	if err != nil {
		t.Fatal(err)
	}
	const forty = "l" + string(rune('0'+39))
	for _, c := range []struct {
		path, to string
		err      error
	}{
		{"real/file", "real/file", nil}, {"absolute/file", "real/file", nil}, {"relative/file", "real/file", nil}, {"two/file", "real/file", nil},
		{"sub/../file", "real/file", nil}, {"sub/", "real/sub", nil}, {"two//./sub/..", "real", nil}, {forty + "/file", "real/file", nil},
		{"l" + string(rune('0'+40)) + "/file", "l0/file", syscall.ELOOP}, {"loop/x", "loop/x", syscall.ELOOP},
		{"none/x", "nowhere/else/x", syscall.ENOENT}, {"two/none/../x", "real/x", syscall.ENOENT}, {"real/file/x", "real/file/x", syscall.ENOTDIR},
	} {
		at, err := Follow(dir + "/" + c.path)
		if !errors.Is(err, c.err) || at != filepath.Join(dir, c.to) {
			t.Errorf("%s: %q, %v", c.path, at, err)
		}
		if _, kernels := os.Stat(dir + "/" + c.path); !errors.Is(kernels, c.err) {
			t.Errorf("%s: the kernel says %v", c.path, kernels)
		}
	}
	if at, err := Follow(dir + "/long/file"); !errors.Is(err, ErrManyNames) || at != "" || Resolved(dir+"/./long") != dir+"/long" {
		t.Errorf("%q, %v", at, err)
	}
	if at, err := Follow("a/../two"); at != "two" || err != nil {
		t.Errorf("%q, %v", at, err)
	}
}
