package resources_test

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

func TestDescriptorBomb(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		run := explode(t, at, `"limits":{"openFiles":200}`, "files", "1000000")
		if n, word := run.far(); word != "EMFILE" || n > 197 || n < 180 {
			t.Errorf("%d files, %s", n, word)
		}
	})
}

// What the user, or the whole machine, has of one count is left to others.
func TestSharedCounts(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		for bomb, want := range map[string]string{"terminals": "ENOSPC", "watchers": "EMFILE"} {
			run := explode(t, at, `"limits":{"openFiles":1000}`, bomb, "900")
			if n, word := run.far(); word != want || n != 64 {
				t.Errorf("%d %s, %s", n, bomb, word)
			}
		}
	})
}

// The private folders share one cap, of bytes and of files; the root itself takes nothing.
func TestFileSystemBombs(t *testing.T) {
	const size = 32 << 20
	keys := `"filesystem":{"tmpSize":"32M"},"limits":{"memory":"256M"}`
	everywhere(t, func(t *testing.T, at place) {
		for _, dir := range []string{"/tmp", "$HOME", "/dev/shm", "/"} {
			for _, bomb := range []struct {
				name, most string
				least, all int
			}{{"fill", "16000", size / attempt.FileBlock * 9 / 10, size / attempt.FileBlock}, {"create", "100000", size / (8 << 10) * 9 / 10, size/(8<<10) + 64}} {
				t.Run(bomb.name+" "+dir, func(t *testing.T) {
					n, word := explode(t, at, keys, bomb.name, dir, bomb.most).far()
					if dir == "/" {
						if n != 0 || word != "EROFS" && word != "EACCES" {
							t.Errorf("%d, %s", n, word)
						}
						return
					}
					if word != "ENOSPC" || n < bomb.least || n > bomb.all {
						t.Errorf("%d, %s; at most %d", n, word, bomb.all)
					}
				})
			}
		}
	})
}
