package resources_test

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// disk is a folder on a block device that everybody may write, and the device; empty where there is none.
func disk(t *testing.T) (dir, device string) {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "mcp-sandbox-testbed-")
	if err == nil {
		err = os.Chmod(dir, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		t.Fatal(err)
	}
	device, _ = platform.Disk(unix.Major(st.Dev), unix.Minor(st.Dev))
	return dir, device
}

// Writing to a disk takes the time that the limit gives it, and without a limit much less. Where no group can be made
// the report says that nothing is limited.
func TestIO(t *testing.T) {
	const rate, size = 1 << 20, 4 << 20
	everywhere(t, func(t *testing.T, at place) {
		dir, device := disk(t)
		grant := `"filesystem":{"allowWrite":["` + dir + `"]}`
		write := []string{"/bin/sh", "-c", "exec dd if=/dev/zero of=" + dir + "/$$ bs=256k count=" + strconv.Itoa(size/(256<<10)) + " oflag=direct 2>&1"}
		if device == "" || !at.group {
			run := start(t, at, grant+`,"limits":{"io":"1M"}`, "/bin/true")
			run.Ran()
			if l := run.Layer(order.Cgroup); at.group {
				if f := run.Fact(order.Cgroup, "io.max"); f.Got != "" || f.Reason == "" {
					t.Errorf("%+v", f)
				}
			} else if l.State != order.Absent || !strings.Contains(l.Effect, "reading and writing") {
				t.Errorf("%+v", l)
			}
			return
		}
		took := func(limits string) time.Duration {
			run := start(t, at, grant+limits, write...)
			run.Ran()
			if run.Code != 0 {
				t.Fatalf("code %d\n%s%s", run.Code, &run.Stdout, &run.Stderr)
			}
			if f := run.Fact(order.Cgroup, "io.max "+device); (f.Got != "") != (limits != "") {
				t.Errorf("%+v", f)
			}
			_, rest, _ := strings.Cut(run.Stdout.String(), " copied, ") // what dd says, without the launch
			seconds, _, _ := strings.Cut(rest, " s")
			n, err := strconv.ParseFloat(seconds, 64)
			if err != nil {
				t.Fatalf("%v: %s", err, &run.Stdout)
			}
			return time.Duration(n * float64(time.Second))
		}
		limited := took(`,"limits":{"io":"1M"}`)
		free := limited
		for range 5 { // the disk is not this test's alone
			if free = min(free, took("")); free <= limited/2 {
				break
			}
		}
		t.Logf("%d MiB took %v, and %v with a limit of %d MiB/s", size>>20, free, limited, rate>>20)
		if limited < 5*time.Second/2 || free > limited/2 {
			t.Errorf("%v without and %v with a limit", free, limited)
		}
	})
}
