package main

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

// Without an expectation nothing is compared, and that is no success.
func TestNothingExpected(t *testing.T) {
	for _, text := range []string{"", "{}", `{"Kernel":"6.1."}`, `{"Kernel":"6.1.","Confinement":"full","Unknown":1}`} {
		if d, err := try(text, "/nowhere"); err == nil {
			t.Errorf("%q: compared, %q", text, d)
		}
	}
}

func TestRead(t *testing.T) {
	var o matrix.Observed
	for _, line := range []string{`{"event":"enforced","confinement":"full"}`, `{"event":"denied"}`, `{"event":"exited","cause":"exit"}`} {
		if err := read(&o, []byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if o.Enforced == nil || o.Enforced.Confinement != "full" || o.Refused != nil {
		t.Errorf("%+v", o)
	}
	o = matrix.Observed{}
	if err := read(&o, []byte(`{"event":"refused","layer":"root","errno":13}`)); err != nil || o.Refused == nil || o.Refused.Errno != 13 {
		t.Errorf("%+v, %v", o, err)
	}
	if read(&o, []byte("VM: panic\n")) == nil {
		t.Error("a line that is no JSON was read")
	}
}
