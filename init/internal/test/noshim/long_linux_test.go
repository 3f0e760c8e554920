package noshim

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// long is the role of a host that makes many launches, one after the other.
const long = "noshim.test long"

// longEnv is another number of launches than ten thousand.
const longEnv = "NOSHIM_LAUNCHES"

// longMore is how many bytes more than after a tenth of its launches a host may have resident at the end.
const longMore = 1 << 20

func longHost(words []string) int {
	n, _ := strconv.Atoi(words[0])
	var early, late int
	var before holdings
	for i := 1; i <= n; i++ {
		if code, err := tryOnce(); err != nil || code != 3 {
			fmt.Println("launch", i, "ended with", code, err)
			return 1
		}
		switch i {
		case n / 10:
			before, early = settled(), resident()
		case n:
			late = resident()
		}
	}
	var after holdings
	if !testbed.Comes(func() bool { after = count(); return !after.more(before) }) {
		fmt.Printf("before %+v\nafter  %+v\n", before, after)
	}
	fmt.Println("resident", early, late)
	return 0
}

// resident is how many bytes this process has in memory, without what it can give back; proc_pid_status(5).
func resident() (bytes int) {
	for range 3 {
		debug.FreeOSMemory()
	}
	b, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	fmt.Sscan(rest, &bytes)
	return bytes << 10
}

// Ten thousand launches leave nothing in their host, and no memory that is worth a word.
func TestTenThousandLaunches(t *testing.T) {
	ordinary(t)
	n := "10000"
	if s := os.Getenv(longEnv); s != "" {
		n = s
	} else if testing.Short() {
		t.Skip("takes minutes")
	}
	code, out, errs := testbed.Finish(t, testbed.As(long, n))
	var early, late int
	if k, _ := fmt.Sscanf(out, "resident %d %d\n", &early, &late); code != 0 || k != 2 || late-early > longMore {
		t.Fatalf("code %d, %d bytes more\n%s%s", code, late-early, out, errs)
	}
	t.Logf("%s launches: resident %d kB after a tenth, %d kB at the end", n, early>>10, late>>10)
}
