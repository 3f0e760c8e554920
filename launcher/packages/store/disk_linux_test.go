package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// fillDisk installs on a small file system of its own: with too little room to begin, with none left in the stage, and
// with none left for each of the writes of Commit.
func fillDisk() error {
	home := os.Getenv("HOME")
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = unix.Mount("tmpfs", home, "tmpfs", 0, "size=50m")
	}
	if err != nil {
		return err
	}
	s, err := Open(os.Getenv)
	if err != nil {
		return err
	}
	_, err = s.Begin(context.Background(), Wanted{Manager: "npm", Specs: serverSpecs()}, nil)
	if full, ok := errors.AsType[*Full](err); !ok || full.Free > 50<<20 {
		return fmt.Errorf("50 MB: %w", err)
	}
	if err = unix.Mount("tmpfs", home, "tmpfs", unix.MS_REMOUNT, "size=120m"); err != nil {
		return err
	}
	refused, whole := 0, 0
	for free := int64(0); free < 40; free++ {
		ok, err := commitWith(s, home, free*4096)
		if err != nil {
			return fmt.Errorf("%d pages free: %w", free, err)
		}
		if ok {
			whole++
		} else {
			refused++
		}
	}
	if refused < 5 || whole < 5 {
		return fmt.Errorf("%d installs were refused and %d done: the disk was too full or too empty", refused, whole)
	}
	fmt.Println(refused, "refused,", whole, "done")
	return nil
}

// commitWith commits when so many bytes are left, and demands all or nothing.
func commitWith(s *Store, home string, free int64) (bool, error) {
	g, err := s.Begin(context.Background(), Wanted{Manager: "npm", Specs: serverSpecs()}, nil)
	if err != nil {
		return false, err
	}
	defer g.Abort()
	if err = write(g.Folder, "lock", 200); err != nil {
		return false, err
	}
	ballast := home + "/ballast"
	defer os.Remove(ballast)
	if err = leave(ballast, home, free); err != nil {
		return false, err
	}
	p, err := g.Commit(installed("@x/server", "1.0.0"))
	if err == nil {
		return true, errors.Join(p.Check(), p.Remove())
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "`mcp-sandbox store prune`") {
		return false, err
	}
	g.Abort()
	for _, folder := range []string{"npm/*", ".stages/*", ".index/*", ".index/.*", ".specs/*", ".specs/.*"} {
		left, _ := filepath.Glob(s.Path + "/" + folder)
		for _, path := range left {
			if !strings.HasSuffix(path, "/.") && !strings.HasSuffix(path, "/..") {
				return false, errors.New("left: " + path)
			}
		}
	}
	_, err = s.Find(Wanted{Manager: "npm", Specs: serverSpecs()}, 0)
	if !errors.Is(err, ErrNone) {
		return false, fmt.Errorf("after ENOSPC: %w", err)
	}
	return false, nil
}

// leave fills a file system until so many bytes are free.
func leave(ballast, at string, free int64) error {
	var st unix.Statfs_t
	if err := unix.Statfs(at, &st); err != nil {
		return err
	}
	fd, err := unix.Open(ballast, unix.O_CREAT|unix.O_WRONLY|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Fallocate(fd, 0, 0, int64(st.Bavail)*st.Bsize-free)
}

// sameTime changes a file at once after Commit and after Check have looked at it, on a file system where many changes get
// the same ctime.
func sameTime() error {
	home := os.Getenv("HOME")
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = unix.Mount("ramfs", home, "ramfs", 0, "")
	}
	if err != nil {
		return err
	}
	s, err := Open(os.Getenv)
	if err != nil {
		return err
	}
	for i := range 40 {
		g, err := s.Begin(context.Background(), Wanted{Manager: "npm", Specs: serverSpecs()}, nil)
		if err != nil {
			return err
		}
		if err = write(g.Folder, "lock", 3); err != nil {
			return err
		}
		p, err := g.Commit(installed("@x/server", "1.0.0"))
		if err != nil {
			return err
		}
		file := p.Path + "/node_modules/1"
		if i%2 == 1 { // a folder of which only the ctime differs is looked at anew
			if err = errors.Join(os.Chmod(file, 0o555), os.Chmod(file, 0o444), p.Check()); err != nil {
				return err
			}
		}
		fd, err := unix.Open(file, unix.O_WRONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		_, err = unix.Write(fd, []byte("L"))
		unix.Close(fd)
		if _, changed := errors.AsType[*Changed](p.Check()); err != nil || !changed {
			return fmt.Errorf("change %d is not found: %w", i, err)
		}
	}
	return nil
}

func TestChangeAtOnce(t *testing.T) {
	if err := ownMounts(as(t, "same ctime", tempHome(t))).Run(); err != nil {
		t.Fatal(err)
	}
}

// A full disk leaves nothing half made.
func TestFullDisk(t *testing.T) {
	out, err := ownMounts(as(t, "fill a disk", tempHome(t))).Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", out)
}

// ownMounts gives a process mounts of its own.
func ownMounts(c *exec.Cmd) *exec.Cmd {
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return c
}

// oddUmask installs under each of three umasks.
func oddUmask() error {
	for i, mask := range []int{0, 0o077, 0o777} {
		old := unix.Umask(mask)
		s, err := Open(func(string) string { return os.Getenv("HOME") + "/" + string(rune('a'+i)) })
		if err != nil {
			return err
		}
		g, err := s.Begin(context.Background(), Wanted{Manager: "npm", Specs: serverSpecs()}, nil)
		if err != nil {
			return err
		}
		unix.Umask(old)
		if err = write(g.Folder, "lock", 3); err != nil {
			return err
		}
		unix.Umask(mask)
		p, err := g.Commit(installed("@x/server", "1.0.0"))
		if err == nil {
			err = errors.Join(p.Check(), p.Touch())
		}
		if err == nil {
			p, err = s.Find(Wanted{Manager: "npm", Specs: serverSpecs()}, 0)
		}
		if err != nil {
			return fmt.Errorf("umask %o: %w", mask, err)
		}
		for path, want := range map[string]os.FileMode{"": 0o555, "node_modules": 0o555, "node_modules/1": 0o444,
			ManifestName: 0o444, "..": 0o700, "../..": 0o700, "../../..": 0o700, "../../../..": 0o700, "../../../../.stages": 0o700} {
			if st, err := os.Lstat(p.Path + "/" + path); err != nil || st.Mode().Perm() != want {
				return fmt.Errorf("umask %o: %s: %v, %w", mask, path, st.Mode(), err)
			}
		}
		if err = p.Check(); err != nil {
			return err
		}
		unix.Umask(old)
	}
	return nil
}

func TestUmask(t *testing.T) {
	c := as(t, "odd umask", tempHome(t))
	if err := c.Run(); err != nil {
		t.Error(err)
	}
}
