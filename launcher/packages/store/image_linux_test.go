package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// inAnImage uses a store that lies in the lower folder of an overlay, as a container's image has one.
func inAnImage() error {
	home := os.Getenv("HOME")
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		options := ",lowerdir=" + home + "/lower,upperdir=" + home + "/upper,workdir=" + home + "/work"
		if err = unix.Mount("overlay", home+"/home", "overlay", 0, "userxattr"+options); err != nil {
			return err
		}
	}
	s, err := Open(func(name string) string { return map[string]string{"HOME": home + "/home"}[name] })
	if err != nil {
		return err
	}
	p, err := s.Find(Wanted{Manager: "npm", Specs: serverSpecs()}, 0)
	if err != nil {
		return err
	}
	if err = errors.Join(p.Check(), p.Touch(), p.Check()); err != nil {
		return err
	}
	file := p.Path + "/node_modules/1"
	if err = errors.Join(os.Chmod(file, 0o644), os.WriteFile(file, []byte("x"), 0o644), os.Chmod(file, 0o444)); err != nil {
		return err
	}
	if _, changed := errors.AsType[*Changed](p.Check()); !changed {
		return errors.New("a change is not found")
	}
	running, err := folder.Open(unix.AT_FDCWD, p.Path)
	if err == nil {
		err = unix.Flock(running, unix.LOCK_SH)
	}
	if err != nil {
		return err
	}
	if _, err = replace(s); !errors.Is(err, ErrInUse) {
		return fmt.Errorf("a package from which a server runs: %w", err)
	}
	unix.Close(running)
	if p, err = replace(s); err != nil {
		return err
	}
	if err = errors.Join(p.Check(), p.Remove()); err != nil {
		return err
	}
	if _, err := s.Find(Wanted{Manager: "npm", Specs: serverSpecs()}, 0); !errors.Is(err, ErrNone) {
		return fmt.Errorf("after the removal: %w", err)
	}
	if left, _ := filepath.Glob(s.Path + "/.stages/*"); len(left) > 0 {
		return fmt.Errorf("left: %s", left)
	}
	return nil
}

// replace installs in place of a damaged package.
func replace(s *Store) (*Package, error) {
	g, err := s.Begin(context.Background(), Wanted{Manager: "npm", Specs: serverSpecs()}, nil)
	if err != nil {
		return nil, err
	}
	defer g.Abort()
	if err = write(g.Folder, "lock", 10); err != nil {
		return nil, err
	}
	return g.Commit(installed("@x/server", "1.0.0"))
}

func TestInAnImage(t *testing.T) {
	home := tempHome(t)
	do(t, as(t, "install once", home+"/lower").Run())
	for _, folder := range []string{"upper", "work", "home"} {
		do(t, os.Mkdir(home+"/"+folder, 0o700))
	}
	if err := ownMounts(as(t, "in an image", home)).Run(); err != nil {
		t.Error(err)
	}
}
