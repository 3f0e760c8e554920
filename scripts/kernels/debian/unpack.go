package debian

import (
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
)

// Unpack returns a folder with the files of packages of this machine's own suites, out of the cache or from the mirror. None
// of them is installed. Other versions, or other packages, are another folder.
func Unpack(ctx context.Context, cache string, names ...string) (string, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	a := &apt{}
	dir, err := a.unpacked(ctx, cache, names)
	if err == nil {
		return dir, nil
	}
	if stale := a.update(ctx); stale != nil { // a system that was never updated knows no package
		return "", fmt.Errorf("%w\nand then: %w", err, stale)
	}
	return a.unpacked(ctx, cache, names)
}

func (a *apt) unpacked(ctx context.Context, cache string, names []string) (string, error) {
	versions, err := a.output(ctx, "", "apt-cache", append([]string{"policy"}, names...)...)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, fmt.Sprintf("%s.%08x", names[0], crc32.ChecksumIEEE([]byte(candidates(string(versions))))))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	work, err := os.MkdirTemp(cache, Temporary)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	if work, err = filepath.Abs(work); err != nil {
		return "", err
	}
	if err := a.lay(ctx, work, names); err != nil {
		return "", err
	}
	err = os.Rename(filepath.Join(work, "all"), dir)
	if _, there := os.Stat(dir); there == nil { // from here, or meanwhile from another
		err = nil
	}
	return dir, err
}

// candidates are the names and the versions of what apt-cache policy tells of; the rest of it changes with what is installed.
func candidates(policy string) string {
	var all strings.Builder
	for line := range strings.Lines(policy) {
		if !strings.HasPrefix(line, " ") || strings.HasPrefix(line, "  Candidate:") {
			all.WriteString(line)
		}
	}
	return all.String()
}
