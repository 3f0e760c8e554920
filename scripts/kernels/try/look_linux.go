package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/place"
)

// look says what group a server is in, and which limits that has.
func (s *scene) look(o *matrix.Observed, p *place.Place, server int) error {
	start, delegated := p.Groups()
	if start == "" { // this program's
		var err error
		if start, err = groupOf(os.Getpid()); err != nil {
			return err
		}
	}
	group, err := groupOf(server)
	if err != nil {
		return err
	}
	if o.Group = matrix.GroupOf(group, start, delegated); o.Group == matrix.NoGroup {
		return nil
	}
	for _, name := range matrix.LimitFiles() {
		text, err := os.ReadFile(filepath.Join(place.V2(), group, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // no such controller
		}
		if err != nil {
			return err
		}
		o.Limits = append(o.Limits, name+" "+string(bytes.TrimSpace(text)))
	}
	return nil
}

// groupOf is a process's group in the hierarchy of v2; cgroups(7).
func groupOf(pid int) (string, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.TrimSuffix(path, "\n"), nil
		}
	}
	return "", errors.New("no control group of v2 in " + strconv.Quote(string(text)))
}

// uidOf is a process's real uid.
func uidOf(pid int) (int, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "\nUid:")
	return strconv.Atoi(strings.Fields(rest + " none")[0])
}

// groups are all folders in which there may be control groups.
func groups() (all []string, err error) {
	err = filepath.WalkDir(place.Mount, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // gone meanwhile
			return nil
		}
		if err == nil && d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	return all, err
}

// remaining are the groups that were not there before. systemd removes a group a moment after its last process has
// ended, and keeps slices, in which are only other groups.
func remaining(before []string) (left []string, err error) {
	for range 300 {
		now, err := groups()
		if err != nil {
			return nil, err
		}
		left = slices.DeleteFunc(now, func(path string) bool {
			return slices.Contains(before, path) || strings.HasSuffix(path, ".slice")
		})
		if len(left) == 0 {
			return nil, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return left, nil
}
