package file

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The test binary is also the process that is killed: see TestKilled.
func TestMain(m *testing.M) {
	if at := os.Getenv("FILE_TEST_KILL_AT"); at != "" {
		count, _ := strconv.Atoi(at)
		t, err := At(os.Getenv("FILE_TEST_PATH"))
		if err != nil {
			panic(err)
		}
		_, err = changer{Target: t, change: ours, beside: os.Getenv("FILE_TEST_BESIDE") != "", at: func(step string) {
			if text := os.Getenv("FILE_TEST_HOST_WRITES"); step == "compared" && text != "" {
				replace(t.File, text)
			}
			if count--; count == 0 {
				self, _ := os.FindProcess(os.Getpid())
				_ = self.Kill()
				select {} // until then
			}
		}}.run()
		if err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const mark = "\nconfined\n"

// ours is the change of these tests: a line more, once.
func ours(old []byte) ([]byte, error) {
	if bytes.HasSuffix(old, []byte(mark)) {
		return old, nil
	}
	return append(old, mark...), nil
}

// replace writes a file as careful hosts do.
func replace(path, text string) {
	if err := errors.Join(os.WriteFile(path+".host", []byte(text), 0o644), os.Rename(path+".host", path)); err != nil {
		panic(err)
	}
}

// plant makes a home and a file in it, and says where the file is.
func plant(t *testing.T, text string) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("LOCALAPPDATA", home)
	path := filepath.Join(home, "app", "mcp.json")
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func at(t *testing.T, path string) Target {
	t.Helper()
	target, err := At(path)
	must(t, err)
	return target
}

// holds compares the text of a file, and asks that nothing lies about.
func holds(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s: %v, %q, want %q", path, err, got, want)
	}
	if left := leftovers(t, path); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// leftovers are the paths of what lies beside a file and in this product's folder.
func leftovers(t *testing.T, path string) (left []string) {
	t.Helper()
	wrap := filepath.Join(os.Getenv("HOME"), ".local", "state", "mcp-sandbox", "wrap")
	for _, dir := range []string{filepath.Dir(path), wrap} {
		entries, err := os.ReadDir(dir)
		if err != nil && !absent(err) {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.Contains(e.Name(), infix) {
				left = append(left, filepath.Join(dir, e.Name()))
			}
		}
	}
	return left
}

// kept reports whether there is a backup with that text.
func kept(t *testing.T, text string) bool {
	t.Helper()
	folder, err := backups()
	must(t, err)
	defer folder.close()
	names, err := folder.names()
	must(t, err)
	return slices.ContainsFunc(names, func(name string) bool {
		got, err := os.ReadFile(filepath.Join(folder.path, name))
		return err == nil && string(got) == text
	})
}
