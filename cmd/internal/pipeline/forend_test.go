package pipeline

import (
	"strings"
	"testing"
)

// Flags of this program among the server's arguments are known, but for those that servers have too.
func TestBehind(t *testing.T) {
	for command, want := range map[string]string{
		"ls /p --allow-read /p":                              "--allow-read",
		"node s.js --allow-domain=a.example --allow-write x": "--allow-domain --allow-write",
		"s --min-confinement full --no-subprocess":           "--min-confinement --no-subprocess",
		"s --env A=b --memory 1G --publish 1:1 --user 1 -v":  "",
		"s --policy x --timeout 3s --level debug":            "",
		"deno run --allow-read x.ts":                         "",
		"npx deno run --allow-write x.ts":                    "",
		"node --allow-fs-read=/p s.js":                       "",
		"--allow-read":                                       "",
	} {
		var got []string
		for _, n := range behind(strings.Fields(command)) {
			got = append(got, n.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
