package platform

import (
	"net"
	"net/netip"
	"slices"
	"testing"
)

// The addresses are those that package net finds, too.
func TestOwnAddresses(t *testing.T) {
	own, err := OwnAddresses()
	if err != nil {
		t.Fatal(err)
	}
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		prefix, err := netip.ParsePrefix(a.String())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(own, prefix.Addr()) {
			t.Errorf("%v is missing in %v", prefix.Addr(), own)
		}
	}
	if len(all) > 0 && len(own) == 0 {
		t.Error("none")
	}
}

func FuzzParseAddresses(f *testing.F) {
	f.Add(AddressDump())
	f.Add([]byte{28, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 8, 0, 0, 1, 0, 0, 0, 8, 0, 2, 0, 127, 0, 0, 1})
	f.Fuzz(func(_ *testing.T, b []byte) { ParseAddresses(b) })
}
