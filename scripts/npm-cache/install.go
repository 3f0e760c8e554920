package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// install runs `npm ci` in a folder beside dir and renames it to dir when all is there.
func install(root, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	stage, err := os.MkdirTemp(filepath.Dir(dir), "stage-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		text, err := os.ReadFile(filepath.Join(root, "testdata", "npm", name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(stage, name), text, 0o644); err != nil {
			return err
		}
	}
	if err := npmCI(stage); err != nil {
		return err
	}
	if err := openToAll(stage); err != nil {
		return err
	}
	if err := openAbove(root, dir); err != nil {
		return err
	}
	return settle(stage, dir)
}

// npmCI keeps npm's own cache and logs in a folder of the stage that is gone afterwards. The user's npm settings hold
// where they can be read (a mirror, a proxy's certificate); a HOME that cannot be is replaced.
func npmCI(stage string) error {
	private := filepath.Join(stage, "npm-private")
	if err := os.Mkdir(private, 0o700); err != nil {
		return err
	}
	cmd := exec.Command("npm", "ci")
	cmd.Dir = stage
	cmd.Env = append(os.Environ(), "npm_config_cache="+private)
	if _, err := os.ReadDir(os.Getenv("HOME")); err != nil {
		cmd.Env = append(cmd.Env, "HOME="+private)
	}
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("npm ci: %w", err)
	}
	return os.RemoveAll(private)
}

// openToAll gives every uid what the owner may read or execute, whatever the umask was.
func openToAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		mode := info.Mode().Perm()
		return os.Chmod(path, mode|mode&0o500>>3|mode&0o500>>6)
	})
}

// openAbove does so for the cache's own folders, where they are this uid's to change.
func openAbove(root, dir string) error {
	for up := filepath.Dir(dir); up != root; up = filepath.Dir(up) {
		info, err := os.Stat(up)
		if err != nil {
			return err
		}
		if mode := info.Mode().Perm(); mode&0o055 != 0o055 {
			if err := os.Chmod(up, mode|0o055); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle renames; where somebody else was first, theirs is as good: the name is the lock's hash.
func settle(stage, dir string) error {
	err := os.Rename(stage, dir)
	if err != nil {
		if _, there := os.Stat(dir); there == nil {
			return nil
		}
	}
	return err
}
