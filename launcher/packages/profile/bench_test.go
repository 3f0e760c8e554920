package profile

import "testing"

// Each start of mcp-sandbox run asks once.
func BenchmarkFor(b *testing.B) {
	command := []string{"npx", "-y", "@modelcontextprotocol/server-filesystem", "/srv"}
	for b.Loop() {
		if p, err := For(command); err != nil || p == nil {
			b.Fatal(err)
		}
	}
}
