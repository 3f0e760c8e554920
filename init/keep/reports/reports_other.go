//go:build !darwin && !linux

package reports

import (
	"os"
	"path/filepath"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// at is the folder.
func at() (string, error) {
	p, err := places.Of(os.Getenv)
	return p.Reports(), err
}

// Prepare makes the folder where there is none, and reports whether there is one.
func Prepare() bool {
	folder, err := at()
	return err == nil && os.MkdirAll(folder, 0o700) == nil
}

// Create makes the report of a launch with its first line, and removes those that are too many. The folder must be
// there.
func Create(id string, now time.Time, first []byte) (fd int, err error) {
	if len(first) > MaxBytes {
		return -1, errLong
	}
	folder, err := at()
	if err != nil {
		return -1, err
	}
	path := filepath.Join(folder, nameOf(id, now))
	if fd, err = platform.CreateReport(path); err != nil {
		return -1, err
	}
	if err = Append(fd, first); err != nil {
		os.Remove(path)
		return -1, err
	}
	trim(folder)
	return fd, nil
}

// Append adds a line to a report.
func Append(fd int, line []byte) error {
	return platform.WriteUntil(fd, line, time.Now().Add(time.Second))
}

// Close ends a report, which this process closes at its end, and removes those that are too many.
func Close(int) {
	if folder, err := at(); err == nil {
		trim(folder)
	}
}

// trim removes the reports that are too many. That a launcher runs is not seen here: only the age counts.
func trim(folder string) {
	for i, e := range list(folder) {
		if i >= Kept {
			os.Remove(filepath.Join(folder, e.name))
		}
	}
}

// Newest is the path of the report that was written to last.
func Newest() (string, error) {
	folder, err := at()
	if err != nil {
		return "", err
	}
	name, err := newest(list(folder))
	return filepath.Join(folder, name), err
}

// list are the reports in the folder, the newest first.
func list(folder string) (all []entry) {
	dir, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(mostNames)
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(folder, name))
		if err == nil && isName(name) && info.Mode().IsRegular() {
			all = append(all, entry{name, info.ModTime(), info.Size() == 0})
		}
	}
	newestFirst(all, time.Now())
	return all
}
