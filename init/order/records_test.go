package order

import (
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A record has what the error knows: of a refusal its layer and step, of any error the errno.
func TestNewRefused(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Refused
	}{
		{syscall.ENOENT, Refused{"refused", Exec, "start", "", syscall.ENOENT.Error(), int(syscall.ENOENT), "", time.Time{}, ""}},
		{&Refusal{Layer: Root, Op: "open", Path: "/a", Err: Mechanism{Errno: syscall.EPERM}},
			Refused{"refused", Root, "open", "/a", syscall.EPERM.Error(), int(syscall.EPERM), "", time.Time{}, ""}},
		{ErrOrder, Refused{"refused", Exec, "start", "", ErrOrder.Error(), 0, "", time.Time{}, ""}},
	} {
		if got := NewRefused(c.err); *got != c.want {
			t.Errorf("%v: %+v", c.err, got)
		}
	}
}

func TestNewEnforced(t *testing.T) {
	o := &Order{Policy: []byte("abc"), Command: []string{"server"}, Dropped: []string{"TOKEN"}}
	e := NewEnforced(o, &policy.Policy{Level: policy.Standard, MinConfinement: policy.Reduced}, policy.Full)
	const sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of "abc"; FIPS 180-4
	if e.Event != "enforced" || e.Confinement != "full" || e.MinConfinement != "reduced" || e.PolicySHA256 != sum || e.Command[0] != "server" {
		t.Errorf("%+v", e)
	}
}
