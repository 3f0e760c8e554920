package reports

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// home is a state directory of the test's own, and the folder of its reports.
func home(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	t.Setenv("XDG_STATE_HOME", base)
	return base + "/mcp-sandbox/reports"
}

func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// create makes a report as a launch does, whose launcher ends at once unless it is to run on.
func create(t *testing.T, text string, age time.Duration, runs bool) string {
	t.Helper()
	now := time.Now().Add(-age)
	id := order.NewID()
	fd, err := Create(id, now, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	moment := unix.NsecToTimeval(now.UnixNano())
	unix.Futimes(fd, []unix.Timeval{moment, moment})
	if !runs {
		Close(fd)
	} else {
		t.Cleanup(func() { unix.Close(fd) })
	}
	return nameOf(id, now)
}

// The reports of the last launches stay, and those of launchers that run; files of other names are left alone.
func TestKept(t *testing.T) {
	folder := home(t)
	for range 2 { // the second time the folder is there
		if !Prepare() {
			t.Fatal("no folder was made")
		}
	}
	if _, err := Newest(); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	running := create(t, "running\n", 100*time.Hour, true)
	foreign := folder + "/20261123T174229.062Z-mine.jsonl"
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var made []string
	for i := range 3 * Kept {
		made = append(made, create(t, "report "+strconv.Itoa(i)+"\n", time.Duration(100-i)*time.Minute, false))
	}
	want := append([]string{running, filepath.Base(foreign)}, made[len(made)-Kept:]...)
	got := names(t, folder)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d reports: %q", len(got), got)
	}
	if at, err := Newest(); at != folder+"/"+made[len(made)-1] || err != nil {
		t.Error(at, err)
	}
	for _, name := range got {
		if info, err := os.Lstat(folder + "/" + name); err != nil || info.Mode().Perm() != 0o600 {
			t.Error(name, info, err)
		}
	}
	info, err := os.Lstat(folder)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info, err)
	}
}

// The reports of killed launchers, which end none, are removed by the next launch. A file of another user stays.
func TestKilledLeaveFew(t *testing.T) {
	folder := home(t)
	Prepare()
	others := folder + "/" + nameOf(order.NewID(), time.Now().Add(-time.Hour))
	if os.Getuid() == 0 {
		if err := errors.Join(os.WriteFile(others, []byte("x\n"), 0o600), os.Chown(others, 1000, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	for range Kept + 5 {
		fd, err := Create(order.NewID(), time.Now(), []byte("x\n"))
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
	}
	left := slices.DeleteFunc(names(t, folder), func(name string) bool { return folder+"/"+name == others })
	if len(left) != Kept {
		t.Errorf("%d reports are left", len(left))
	}
	if _, err := os.Lstat(others); err != nil && os.Getuid() == 0 {
		t.Error(err)
	}
}

// What was written last is the newest, not what began last.
func TestNewestWasWrittenLast(t *testing.T) {
	folder := home(t)
	Prepare()
	old := create(t, "began first\n", time.Hour, false)
	create(t, "began later\n", time.Minute, false)
	f, err := os.OpenFile(folder+"/"+old, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("ended\n")
	f.Close()
	empty, err := os.Create(folder + "/" + nameOf(order.NewID(), time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	empty.Close()
	if at, err := Newest(); at != folder+"/"+old || err != nil {
		t.Error(at, err)
	}
}

// Many launches at once keep as many as one after the other.
func TestAtOnce(t *testing.T) {
	folder := home(t)
	Prepare()
	var all, begun sync.WaitGroup
	begun.Add(3 * Kept)
	for i := range 3 * Kept {
		all.Go(func() {
			fd, err := Create(order.NewID(), time.Now(), []byte("x\n"))
			if begun.Done(); err != nil {
				t.Error(err)
				return
			}
			if i%2 == 0 { // the others end while some begin
				begun.Wait()
			}
			Close(fd)
		})
	}
	all.Wait()
	if n := len(names(t, folder)); n > Kept || n < Kept/2 { // two that trim at once may each remove one
		t.Errorf("%d reports are left", n)
	}
}

// Nothing is kept, and nothing is changed, where the folder is not this user's own or cannot be written, and a first
// line without a bound is not kept.
func TestNothingIsKept(t *testing.T) {
	for name, spoil := range map[string]func(base string) error{
		"no folder":     func(string) error { return nil },
		"a link":        func(base string) error { return link(t, base+"/mcp-sandbox/reports") },
		"a link to all": func(base string) error { return link(t, base+"/mcp-sandbox") },
		"a file":        func(base string) error { return os.WriteFile(base+"/mcp-sandbox", nil, 0o600) },
		"others write":  func(base string) error { return os.Chmod(base, 0o777) },
		"another's": func(base string) error {
			if os.Geteuid() != 0 {
				return unix.Rmdir(base) // and /proc/1 would be root's
			}
			return errors.Join(os.MkdirAll(base+"/mcp-sandbox/reports", 0o700), os.Chown(base+"/mcp-sandbox", 4711, 4711))
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := home(t)
			base := strings.TrimSuffix(folder, "/mcp-sandbox/reports")
			if name != "no folder" {
				if err := spoil(base); err != nil {
					t.Fatal(err)
				}
				if name != "another's" && !strings.HasPrefix(name, "a link") && Prepare() {
					t.Error("prepared")
				}
			}
			if fd, err := Create(order.NewID(), time.Now(), []byte("x\n")); err == nil {
				unix.Close(fd)
				t.Error("kept")
			}
		})
	}
	folder := home(t)
	Prepare()
	if _, err := Create(order.NewID(), time.Now(), make([]byte, MaxBytes+1)); err == nil || len(names(t, folder)) != 0 {
		t.Error("a line without a bound was kept", err)
	}
	if fd, err := Create(order.NewID(), time.Now(), make([]byte, MaxBytes)); err != nil {
		t.Error(err)
	} else {
		unix.Close(fd)
	}
}

// link puts a link to another folder of this user's in a place.
func link(t *testing.T, at string) error {
	os.MkdirAll(filepath.Dir(at), 0o700)
	return os.Symlink(t.TempDir(), at)
}

// Names that this package does not make are not its files.
func TestNames(t *testing.T) {
	id, now := order.NewID(), time.Now()
	if name := nameOf(id, now); !isName(name) || strings.ContainsAny(name, "/\x00") {
		t.Error(name)
	}
	whole := nameOf(id, now)
	for _, name := range []string{"", ".", "x.jsonl", whole[1:], whole + "~", "." + whole, strings.ToUpper(whole), "99999999T999999.999Z-" + id + suffix} {
		if isName(name) {
			t.Error(name)
		}
	}
}

// A planted link or pipe of a report's name is neither read nor written to.
func TestPlanted(t *testing.T) {
	folder := home(t)
	Prepare()
	own := create(t, "own\n", time.Hour, false)
	if err := errors.Join(os.Symlink("/etc/passwd", folder+"/"+nameOf(order.NewID(), time.Now())),
		unix.Mkfifo(folder+"/"+nameOf(order.NewID(), time.Now()), 0o600)); err != nil {
		t.Fatal(err)
	}
	if at, err := Newest(); at != folder+"/"+own || err != nil {
		t.Error(at, err)
	}
	for range 2 * Kept {
		create(t, "x\n", 0, false)
	}
}
