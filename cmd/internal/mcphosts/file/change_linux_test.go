package file

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The text changes; mode, group, attributes and links do not; the old text is kept where nobody else reads.
func TestChange(t *testing.T) {
	path := plant(t, "old")
	link := filepath.Join(filepath.Dir(filepath.Dir(path)), "link")
	must(t, os.Symlink("app/mcp.json", link))
	must(t, os.Chmod(path, 0o640))
	group := os.Getegid()
	if os.Geteuid() == 0 {
		group = 4711
		must(t, os.Chown(path, 0, group))
	}
	attribute := unix.Setxattr(path, "user.origin", []byte("host"), 0)

	r, err := at(t, link).Change(ours)
	must(t, err)
	holds(t, path, "old"+mark)
	if to, err := os.Readlink(link); err != nil || to != "app/mcp.json" {
		t.Errorf("the link: %q, %v", to, err)
	}
	var st unix.Stat_t
	must(t, unix.Lstat(path, &st))
	if st.Mode != unix.S_IFREG|0o640 || int(st.Gid) != group || st.Nlink != 1 {
		t.Errorf("mode %o, group %d", st.Mode, st.Gid)
	}
	value := make([]byte, 9)
	n, err := unix.Getxattr(path, "user.origin", value)
	if attribute == nil && (err != nil || string(value[:n]) != "host") {
		t.Errorf("attribute: %q, %v", value, err)
	}
	text, err := os.ReadFile(r.Backup)
	if err != nil || string(text) != "old" || !strings.Contains(r.Backup, "/.local/state/mcp-sandbox/backups/mcp.json.") {
		t.Errorf("backup %s: %q, %v", r.Backup, text, err)
	}
	must(t, unix.Lstat(r.Backup, &st))
	if st.Mode != unix.S_IFREG|0o600 {
		t.Errorf("backup: mode %o", st.Mode)
	}
}

// What stays the same is not written: no other file, no backup. An error of the caller leaves the file alone.
func TestNoChange(t *testing.T) {
	path := plant(t, "old"+mark)
	var before, after unix.Stat_t
	must(t, unix.Lstat(path, &before))
	r, err := at(t, path).Change(ours)
	must(t, err)
	_, failed := at(t, path).Change(func([]byte) ([]byte, error) { return nil, errors.New("no") })
	must(t, unix.Lstat(path, &after))
	same := before.Ino == after.Ino && before.Ctim == after.Ctim
	if r.Backup != "" || !same || failed == nil || !strings.HasSuffix(failed.Error(), "mcp.json: no") {
		t.Errorf("%+v, %v", r, failed)
	}
	holds(t, path, "old"+mark)
}

// Each of these is refused in one line, and is what it was afterwards. The first is not refused.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(path string) error
		want error
	}{
		{"a file", func(string) error { return nil }, nil},
		{"a pipe", func(path string) error { return errors.Join(os.Remove(path), unix.Mkfifo(path, 0o644)) }, errKind},
		{"a folder", func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o755)) }, errKind},
		{"a hard link", func(path string) error { return os.Link(path, path+".2") }, errLinks},
		{"another user's", func(path string) error {
			if os.Geteuid() != 0 {
				return errors.Join(os.Remove(path), os.Symlink("/etc/hostname", path))
			}
			return os.Chown(path, 4711, 4711)
		}, errNotOurs},
		{"too large", func(path string) error { return os.Truncate(path, MaxSize+1) }, errSize},
		{"nothing", os.Remove, fs.ErrNotExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := plant(t, "old")
			must(t, c.make(path))
			target, err := At(path)
			if err == nil {
				_, err = target.Change(ours)
			}
			if !errors.Is(err, c.want) || err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %v", err, c.want)
			}
			if left := leftovers(t, path); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				text, err := os.ReadFile(path)
				if err != nil || bytes.HasSuffix(text, []byte(mark)) != (c.want == nil) {
					t.Errorf("%v, changed: %v", err, c.want == nil)
				}
			}
			if target.File == "" {
				return
			}
			f, err := target.Read()
			if err == nil {
				err = f.Fixed
			}
			if !errors.Is(err, c.want) {
				t.Errorf("read: %v, want %v", err, c.want)
			}
		})
	}
}

// A group that the user is not in cannot be given to the new file: the old one stays.
func TestForeignGroup(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make a file of a group that its owner is not in")
	}
	path := plant(t, "old")
	for dir := filepath.Dir(path); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
		must(t, os.Chown(dir, 12345, 12345))
	}
	program := filepath.Join(filepath.Dir(path), "test")
	text, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	must(t, os.WriteFile(program, text, 0o755))
	for group, want := range map[int]string{12345: "", 4711: errGroup.Error()} {
		must(t, os.WriteFile(path, []byte("old"), 0o644))
		must(t, os.Chown(path, 12345, group))
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), "FILE_TEST_PATH="+path, "FILE_TEST_KILL_AT=99")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
		out, err := cmd.CombinedOutput()
		if (err == nil) != (want == "") || !strings.Contains(string(out), want) {
			t.Errorf("group %d: %v, %s", group, err, out)
		}
		if want == "" {
			holds(t, path, "old"+mark)
		} else {
			holds(t, path, "old")
		}
	}
}

// What is wrong with this product's own folders is said of them.
func TestOwnFolders(t *testing.T) {
	for _, name := range []string{"wrap", "backups"} {
		path := plant(t, "old")
		own := filepath.Join(os.Getenv("HOME"), ".local/state/mcp-sandbox", name)
		must(t, os.MkdirAll(filepath.Dir(own), 0o700))
		must(t, os.WriteFile(own, nil, 0o600))
		if _, err := at(t, path).Change(ours); err == nil || !strings.Contains(err.Error(), own) {
			t.Errorf("%v", err)
		}
		must(t, os.Remove(own))
		holds(t, path, "old")
	}
}

// A link in somebody else's project does not lead to the user's own files.
func TestProject(t *testing.T) {
	path := plant(t, "old")
	project := filepath.Join(t.TempDir(), "p")
	must(t, os.MkdirAll(project+"/.cursor", 0o755))
	must(t, os.MkdirAll(project+"2", 0o755))
	for name, to := range map[string]string{"inside": "real", "out": path, "beside": "../../p2/f"} {
		must(t, os.WriteFile(project+"/.cursor/real", []byte("old"), 0o644))
		must(t, os.WriteFile(project+"2/f", []byte("old"), 0o644))
		must(t, os.Symlink(to, project+"/.cursor/"+name))
		want := errOutside
		if name == "inside" {
			want = nil
		}
		if _, err := In(project, project+"/.cursor/"+name); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of many backups the last ten stay, and those of another file.
func TestBackups(t *testing.T) {
	path := plant(t, "0")
	r, err := at(t, path).Change(ours)
	must(t, err)
	other := path + "x"
	must(t, os.WriteFile(other, nil, 0o644))
	_, err = at(t, other).Change(ours)
	must(t, err)
	for range 12 {
		_, err := at(t, path).Change(func(old []byte) ([]byte, error) { return append(old, '+'), nil })
		must(t, err)
	}
	entries, err := os.ReadDir(filepath.Dir(r.Backup))
	must(t, err)
	if len(entries) != most+1 {
		t.Errorf("%d backups", len(entries))
	}
}

// Changes of several processes come one after another.
func TestManyAtOnce(t *testing.T) {
	path := plant(t, "")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := at(t, path).Change(func(old []byte) ([]byte, error) { return append(old, '+'), nil })
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	holds(t, path, "++++++++")
}

func TestGlob(t *testing.T) {
	dir := t.TempDir()
	for name := range strings.FieldsSeq("profiles/a/mcp.json profiles/b/mcp.json profiles/b/o.json x.yaml .x.yaml") {
		must(t, os.MkdirAll(filepath.Dir(dir+"/"+name), 0o755))
		must(t, os.WriteFile(dir+"/"+name, nil, 0o644))
	}
	got, err := Glob([]string{dir + "/none/f", dir + "/profiles/*/mcp.json", dir + "/x.yaml/f", dir + "/*.yaml",
		dir + "/x.yaml"})
	want := dir + "/profiles/a/mcp.json " + dir + "/profiles/b/mcp.json " + dir + "/x.yaml"
	if err != nil || strings.Join(got, " ") != want {
		t.Errorf("%q, %v", got, err)
	}
}
