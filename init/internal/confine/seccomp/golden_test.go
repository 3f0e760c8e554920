package seccomp

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden listings anew")

// TestGolden pins the programs as listings, so that a change of the filter is seen as one in review.
func TestGolden(t *testing.T) {
	for _, g := range []struct{ arch, options, name string }{
		{"amd64", "-", "amd64"},
		{"arm64", "-", "arm64"},
		{"amd64", "notify", "amd64-notify"},
		{"arm64", "notify", "arm64-notify"},
		{"amd64", "nounix,noinet,nonetlink,noipc,nopeers", "amd64-reduced"},
		{"arm64", "nounix,noinet,nonetlink,noipc,nopeers", "arm64-reduced"},
	} {
		name := "testdata/" + g.name + ".golden"
		got := listing(mustProgram(t, g.arch, parseOptions(t, g.options)))
		if *update {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs: run go test -update and look at the difference", name)
		}
	}
}

// listing prints one instruction a line, jumps with their goals.
func listing(program []Instruction) []byte {
	var b bytes.Buffer
	for n, i := range program {
		next := n + 1
		switch i.Code {
		case 0x20, 0x06:
			fmt.Fprintf(&b, "%3d %v\n", n, i)
		case 0x05:
			fmt.Fprintf(&b, "%3d ja %d\n", n, next+int(i.K))
		default:
			name := map[uint16]string{0x15: "jeq", 0x35: "jge", 0x45: "jset"}[i.Code]
			k := fmt.Sprintf("%#x", i.K)
			if name == "jge" {
				k = fmt.Sprint(i.K)
			}
			fmt.Fprintf(&b, "%3d %s %s %d else %d\n", n, name, k, next+int(i.JT), next+int(i.JF))
		}
	}
	return b.Bytes()
}

func TestAppend(t *testing.T) {
	got := Append([]byte{9}, []Instruction{{Code: 0x15, JT: 1, JF: 2, K: 0xc000003e}, {Code: 0x06, K: 0x7fff0000}})
	want := []byte{9, 0x15, 0, 1, 2, 0x3e, 0, 0, 0xc0, 0x06, 0, 0, 0, 0, 0, 0xff, 0x7f}
	if !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
}
