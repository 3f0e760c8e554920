package store

import (
	"context"
	"errors"
	"fmt"
	"os"
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
	_, err = s.Begin(context.Background(), "npm", serverSpecs(), nil)
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
	g, err := s.Begin(context.Background(), "npm", serverSpecs(), nil)
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
	if !errors.Is(err, syscall.ENOSPC) {
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
	_, err = s.Find("npm", serverSpecs(), 0)
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

// A full disk leaves nothing half made.
func TestFullDisk(t *testing.T) {
	c := as(t, "fill a disk", tempHome(t))
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Geteuid() != 0 {
		c.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", out)
}

// oddUmask installs under each of three umasks.
func oddUmask() error {
	for i, mask := range []int{0, 0o077, 0o777} {
		old := unix.Umask(mask)
		s, err := Open(func(string) string { return os.Getenv("HOME") + "/" + string(rune('a'+i)) })
		if err != nil {
			return err
		}
		g, err := s.Begin(context.Background(), "npm", serverSpecs(), nil)
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
			p, err = s.Find("npm", serverSpecs(), 0)
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
