package egress_test

import (
	"cmp"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"testing"
)

// passwd has those that servers of the tests run as, whoever they are, and what is of this machine.
func passwd() string {
	all, _ := os.ReadFile("/etc/passwd")
	return fmt.Sprintf("tester:x:%d:%d::/tmp:/bin/sh\n%s", cmp.Or(os.Getuid(), daemonUser), cmp.Or(os.Getgid(), daemonUser), all)
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
	last := len(free.numbers) - 1
	if last < 0 {
		t.Fatal("the world has no more addresses")
	}
	n := free.numbers[last]
	free.numbers = free.numbers[:last]
	t.Cleanup(func() {
		free.Lock()
		defer free.Unlock()
		free.numbers = append(free.numbers, n)
	})
	return netip.AddrFrom4([4]byte{203, 0, 113, n}), netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 15: n})
}
