package shim_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// littered is how much processor time a server spends on leaving names behind, for which the launcher has half a second. To make
// a name costs no more than three times as much as to take it away, on ext4 and on tmpfs.
func littered() time.Duration {
	if testing.Short() {
		return 2 * time.Second
	}
	return 8 * time.Second
}

// litter makes hard links in the folder for temporary files for so long, and says how many.
func litter(lasts string) {
	most, _ := time.ParseDuration(lasts)
	const links = 30000 // of one file; ext4 has 65000
	n, file := 0, ""
	var used unix.Rusage
	for time.Duration(used.Utime.Nano()+used.Stime.Nano()) < most {
		if file = os.TempDir() + "/" + strconv.Itoa(n); n%links == 0 && os.WriteFile(file, nil, 0o600) != nil {
			break
		}
		for range links - 1 {
			n++
			os.Link(file, os.TempDir()+"/"+strconv.Itoa(n))
		}
		n++
		unix.Getrusage(unix.RUSAGE_SELF, &used)
	}
	os.Stdout.WriteString(strconv.Itoa(n))
}

// However many names a server leaves in its private folder, the launcher ends after a bounded time, and so does the next one,
// which takes some more of them away.
func TestLitter(t *testing.T) {
	base := privateBase(t)
	t.Setenv("TMPDIR", base)
	s := build(t, "/var/tmp")
	const bound = 1200 * time.Millisecond // half a second, and a list of the names
	var usual time.Duration               // of a launch on this machine
	litters, next := s.Launch(altered.Weaker(grants, "reduced"), ""), s.Launch(altered.Weaker(grants, "reduced"), "mark")
	litters.Command = []string{testbed.Self(t, "self"), floodFlag, "litter", littered().String()}
	before := 0
	for i, l := range []launch{next, litters, next} {
		cmd, _, done := altered.Start(t, l, nil)
		o := done()
		if len(o.Report) != 2 {
			t.Fatalf("launch %d: code %d, %v\n%s", i, o.Code, o.Report, o.Stderr)
		}
		servers, _ := o.Report[1]["cpuSeconds"].(float64)
		own := cmd.ProcessState.SystemTime() + cmd.ProcessState.UserTime() - time.Duration(servers*float64(time.Second))
		left := 0
		for _, dir := range folders(t) {
			names, _ := os.ReadDir(filepath.Join(dir, "tmp"))
			left += len(names)
		}
		t.Logf("launch %d: %s names, %d left; the launcher used %s of a processor, the server %.2f s", i, o.Stdout, left, own, servers)
		if i == 0 {
			usual = own
			continue
		}
		if own > bound+3*usual {
			t.Errorf("launch %d: the launcher used %s of a processor", i, own)
		}
		if i > 1 && left > 0 && before-left < 1000 {
			t.Errorf("launch %d took away %d names", i, before-left)
		}
		before = left
	}
}
