package noshim

import (
	"bufio"
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// mostMemory is what a sandbox of a running server may cost its host, in bytes: on the heap, the report's line among
// that, and of the program that init executes.
const mostMemory = 58 << 10

// memory is what this process has on its heap, and its part of the programs; proc_pid_smaps(5).
func memory(tb testing.TB) (bytes int) {
	tb.Helper()
	for range 3 {
		debug.FreeOSMemory()
	}
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		tb.Fatal(err)
	}
	defer maps.Close()
	program := false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		switch words := strings.Fields(lines.Text()); {
		case !strings.HasSuffix(words[0], ":"):
			program = strings.Contains(lines.Text(), "memfd:program")
		case program && words[0] == "Pss:":
			kB, _ := strconv.Atoi(words[1])
			bytes += kB << 10
		}
	}
	return bytes + int(heap.HeapAlloc)
}

// Once a server runs, its host has given back what planned and proved the sandbox.
func TestMemoryOfASandbox(t *testing.T) {
	ordinary(t)
	const n = 20
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	var before int
	for i := range n + 2 { // and what is made once
		if i == 2 {
			before = memory(t)
		}
		sb, in := running(t, ctx)
		hosted(t, sb)
		defer func() {
			in.Close()
			_ = sb.Cmd.Wait()
		}()
	}
	each := 0
	testbed.Comes(func() bool { each = (memory(t) - before) / n; return each <= mostMemory })
	t.Logf("%d kB each", each>>10)
	if each > mostMemory {
		t.Errorf("a sandbox takes %d bytes of its host, want %d at most", each, mostMemory)
	}
}
