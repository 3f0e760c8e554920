package match_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/match"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// large has 10,000 entries, a third each of names, stars, and addresses.
func large() *policy.Network {
	n := &policy.Network{}
	for i := range 10000 {
		s := strconv.Itoa(i)
		address := "192.0." + strconv.Itoa(2+i/250) + "." + strconv.Itoa(i%250)
		n.AllowedDomains = append(n.AllowedDomains, []string{"n" + s + ".com", "*.n" + s + ".net", address}[i%3])
	}
	n.DeniedDomains = []string{"*.bad.net"}
	return n
}

// longest has 253 bytes and 125 labels, and is below a star at its last two alone.
var longest = strings.Repeat("a.", 122) + "bb.n1.net"

func TestLarge(t *testing.T) {
	r := match.New(large())
	name := longest
	if len(name) != 253 || r.Name(name).Star != "*.n1.net" || r.Port(name, 443) != match.Open || r.Port("n0.com", 80) != match.Open {
		t.Fatalf("%d bytes: %+v", len(name), r.Name(name))
	}
	if n := testing.AllocsPerRun(100, func() { r.Port(name, 443); r.Name(name) }); n > 4 {
		t.Errorf("a question of a name allocates %.0f times", n)
	}
}

func BenchmarkNew10000(b *testing.B) {
	n := large()
	for b.Loop() {
		match.New(n)
	}
}

func BenchmarkName10000(b *testing.B) {
	r := match.New(large())
	for b.Loop() {
		r.Name(longest)
	}
}

func BenchmarkPort10000(b *testing.B) {
	r := match.New(large())
	for b.Loop() {
		r.Port(longest, 443)
	}
}
