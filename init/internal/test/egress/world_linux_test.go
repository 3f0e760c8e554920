package egress_test

import (
	"cmp"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// passwd has those that servers of the tests run as, whoever they are, and what is of this machine.
func passwd() string {
	all, _ := os.ReadFile("/etc/passwd")
	return fmt.Sprintf("ordinary:x:%d:%d::/tmp:/bin/sh\ntester:x:%d:%d::/tmp:/bin/sh\n%s", testbed.Ordinary, testbed.Ordinary, cmp.Or(os.Getuid(), daemonUser), cmp.Or(os.Getgid(), daemonUser), all)
}

// free are the numbers of the hosts' addresses that no test has.
var free = struct {
	sync.Mutex
	numbers []byte
}{numbers: freeNumbers()}

func freeNumbers() (all []byte) {
	for n := byte(199); n > 0; n-- { // from 200 on: those that have a name here
		if n != 53 { // the name server's
			all = append(all, n)
		}
	}
	return all
}

// newAddresses are addresses of the world that no other test has until this one's end.
func newAddresses(t *testing.T) (v4, v6 netip.Addr) {
	t.Helper()
	free.Lock()
	defer free.Unlock()
	if len(free.numbers) == 0 {
		t.Fatal("the world has no more addresses")
	}
	// The one that is free for the longest: a process that is being started may hold a closed listener for a moment.
	n := free.numbers[0]
	free.numbers = free.numbers[1:]
	t.Cleanup(func() {
		free.Lock()
		defer free.Unlock()
		free.numbers = append(free.numbers, n)
	})
	return netip.AddrFrom4([4]byte{203, 0, 113, n}), netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 15: n})
}
