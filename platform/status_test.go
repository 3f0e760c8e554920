package platform

import (
	"bytes"
	"strconv"
	"testing"
)

func TestPending(t *testing.T) {
	for _, c := range []struct {
		status string
		mask   uint64
		ok     bool
	}{
		{"Name:\tnode\nSigPnd:\t0000000000000001\nShdPnd:\t0000000000040000\nSigBlk:\t0\n", 1 << 18, true},
		{"Name:\tnode\nShdPnd:\t0000000000000000", 0, true},
		{"Name:\tShdPnd: 1\n", 0, false}, // a process may be called so
		{"Name:\tx\nShdPnd:\tnone\n", 0, false},
		{"", 0, false},
	} {
		if mask, ok := Pending([]byte(c.status)); mask != c.mask || ok != c.ok {
			t.Errorf("%q: %x, %v", c.status, mask, ok)
		}
	}
}

func TestProcess(t *testing.T) {
	for _, c := range []struct {
		status string
		pid    int
		ok     bool
	}{
		{"Name:\tnode\nTgid:\t4711\nNStgid:\t4711\t2\nNSpid:\t4712\t3\n", 2, true},
		{"Name:\tnode\nNStgid:\t4711\t17\t2\n", 2, true},
		{"Name:\tnode\nNStgid:\t4711\n", 4711, true}, // in no other namespace than the reader's
		{"Name:\tNStgid: 1\n", 0, false},
		{"Name:\tx\nNStgid:\n", 0, false},
		{"Name:\tx\nNStgid:\t0\n", 0, false},
		{"Name:\tx\nNStgid:\t-1\n", 0, false},
		{"Name:\tx\nNStgid:\t99999999999\n", 0, false},
		{"", 0, false},
	} {
		if pid, ok := Process([]byte(c.status)); ok != c.ok || ok && pid != c.pid {
			t.Errorf("%q: %d, %v", c.status, pid, ok)
		}
	}
}

func TestStatusUmask(t *testing.T) {
	for _, c := range []struct {
		status string
		mask   int
		ok     bool
	}{
		{"Name:\tnode\nUmask:\t0027\nState:\tR (running)\n", 0o027, true},
		{"Name:\tnode\nUmask:\t0777", 0o777, true},
		{"Name:\tnode\nUmask:\t0000\n", 0, true},
		{"Name:\tUmask:\t0022\n", 0, false},
		{"Name:\tnode\nUmask:\t1000\n", 0, false}, // no mask has more than the nine bits
		{"Name:\tnode\nUmask:\t0028\n", 0, false},
		{"Name:\tnode\nUmask:\t-022\n", 0, false},
		{"Name:\tnode\nUmask:\n", 0, false},
		{"Name:\tnode\n", 0, false},
		{"", 0, false},
	} {
		if mask, ok := umask([]byte(c.status)); ok != c.ok || ok && mask != c.mask {
			t.Errorf("%q: %#o, %v", c.status, mask, ok)
		}
	}
}

// FuzzStatus: whatever stands there, no panic; and a number is one that was written.
func FuzzStatus(f *testing.F) {
	f.Add([]byte("Name:\tnode\nNStgid:\t4711\t2\nShdPnd:\t0000000000040000\n"))
	f.Add([]byte("\nNStgid:\t \n\nShdPnd:"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if pid, ok := Process(b); ok && (pid < 1 || !bytes.Contains(b, strconv.AppendInt(nil, int64(pid), 10))) {
			t.Errorf("%q: process %d", b, pid)
		}
		if mask, ok := Pending(b); ok && mask != 0 && !bytes.Contains(bytes.ToLower(b), strconv.AppendUint(nil, mask, 16)) {
			t.Errorf("%q: mask %x", b, mask)
		}
		if n, ok := Filters(b); ok && n != 0 && !bytes.Contains(b, []byte("Seccomp_filters:")) {
			t.Errorf("%q: %d filters", b, n)
		}
		if held, ok := NoNewPrivs(b); held && !ok {
			t.Errorf("%q: no_new_privs of nothing", b)
		}
		if mask, ok := umask(b); ok && mask&^0o777 != 0 {
			t.Errorf("%q: mask %#o", b, mask)
		}
		if _, ok := ParseStat(b); ok && !bytes.Contains(b, []byte(")")) {
			t.Errorf("%q: a stat", b)
		}
	})
}
