package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// sum is a hash over the step's line, the version of Go, and names, kinds and contents of the files that the step
// reads: those that git tracks and those that it does not ignore, as they lie there.
func sum(root string, s *step) (string, error) {
	list := []string{"-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}
	cmd := exec.Command("git", append(list, strings.Fields(s.reads)...)...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git ls-files: %w", err)
	}
	h := sha256.New()
	if s.head {
		cmd := exec.Command("git", "-c", "safe.directory=*", "rev-parse", "HEAD")
		cmd.Dir, cmd.Stdout, cmd.Stderr = root, h, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("git rev-parse HEAD: %w", err)
		}
	}
	fmt.Fprintf(h, "%s\n%s\n", s.run, runtime.Version())
	found := false
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		path := filepath.Join(root, name)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // git tracks it, and it was removed
		}
		if err != nil {
			return "", err
		}
		var text []byte
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := os.Readlink(path)
			if err != nil {
				return "", err
			}
			text = []byte(target)
		} else if text, err = os.ReadFile(path); err != nil {
			return "", err
		}
		found = true
		fmt.Fprintf(h, "%q %v %x\n", name, info.Mode().Type()|info.Mode()&0o111, sha256.Sum256(text))
	}
	if !found {
		return "", fmt.Errorf("no file matches %s", s.reads)
	}
	return fmt.Sprintf("%x\n", h.Sum(nil)), nil
}
