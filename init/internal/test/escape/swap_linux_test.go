package escape_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"

	"golang.org/x/sys/unix"
)

// swappedLaunches are made under each of two policies.
func swappedLaunches() int {
	if testing.Short() {
		return 40
	}
	return 1000
}

// While a folder of a granted path and a link to another tree change places as fast as they can, a launch is refused
// or the server sees what the launcher resolved: the folder's own file behind a folder, the other tree's only behind
// the link that the host had there then. In a write grant a server could have made the link: there the other tree is
// never seen.
func symlinkSwap(t *testing.T, l level) {
	for name, grants := range map[string]string{
		"host":  `"allowRead":["PLACE/granted/in"]`,
		"write": `"allowWrite":["PLACE"],"allowRead":["PLACE/granted/in"]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, s := l, stage(t)
			place := filepath.Join(s.dir, "place")
			for name, text := range map[string]string{"place/granted/in/file": "right", "other/in/file": "wrong"} {
				path := filepath.Join(s.dir, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.Symlink("../other", place+"/link"), os.Chmod(place, 0o777), os.Chmod(place+"/granted", 0o777),
				os.Chmod(place+"/granted/in", 0o777)); err != nil {
				t.Fatal(err)
			}
			l.doc = `{"version":1,"filesystem":{` + strings.ReplaceAll(grants, "PLACE", place) + `},"cwd":"/"}`
			swapped := swapping(place)
			seen := map[string]int{}
			try := func() {
				out, errs, code := launch(t, s, l, "/bin/sh", "-c", `test -L "$0" && echo link; cat "$0/in/file"`, place+"/granted")
				if code == 125 {
					out = "refused"
				}
				seen[out]++
				if code != 0 && code != 125 && code != 1 {
					t.Errorf("code %d, %q, %q", code, out, errs)
				}
			}
			for range swappedLaunches() {
				try()
			}
			// A link that the host made is refused only in a swap.
			testbed.Await(t, "a launch that sees the folder's file, and one refused", func() bool {
				if seen["right"] == 0 || name == "write" && seen["refused"] == 0 {
					try()
				}
				return seen["right"] > 0 && (name == "host" || seen["refused"] > 0)
			})
			t.Logf("%d swaps, %v", swapped(), seen)
			if seen["wrong"] > 0 || name == "write" && seen["link\nwrong"] > 0 {
				t.Errorf("servers saw the other tree: %v", seen)
			}
		})
	}
}

// swapping exchanges the folder and the link until the function it returns is called, which tells how often.
func swapping(place string) func() int {
	var stop atomic.Bool
	swaps := make(chan int)
	go func() {
		n := 0
		for !stop.Load() {
			if unix.Renameat2(unix.AT_FDCWD, place+"/granted", unix.AT_FDCWD, place+"/link", unix.RENAME_EXCHANGE) == nil {
				n++
			}
			unix.Nanosleep(&unix.Timespec{Nsec: int64(n%13) * 200_000}, nil) // now and then in a launch, not always
		}
		swaps <- n
	}()
	return func() int { stop.Store(true); return <-swaps }
}
