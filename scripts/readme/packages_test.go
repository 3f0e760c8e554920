package readme

import (
	"encoding/json"
	"strings"
	"testing"
)

// The versions that docs/packages.md calls tried are those of testdata/npm.
func TestTriedVersions(t *testing.T) {
	var pinned struct{ Dependencies, OptionalDependencies map[string]string }
	if err := json.Unmarshal([]byte(document(t, "testdata/npm/package.json")), &pinned); err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(document(t, "docs/packages.md"), "| tried with |")
	table, _, _ = strings.Cut(table, "\n\n")
	for manager, want := range map[string]string{
		"pnpm": pinned.Dependencies["pnpm"] + " and " + pinned.OptionalDependencies["@pnpm/exe.linux-x64"],
		"bun":  pinned.OptionalDependencies["@oven/bun-linux-x64"],
		"deno": pinned.OptionalDependencies["@deno/linux-x64-glibc"],
	} {
		_, row, _ := strings.Cut(table, "\n| "+manager+" |")
		row, _, _ = strings.Cut(row, "\n")
		if !strings.Contains(row, " | "+want+" | ") {
			t.Errorf("%s %s is not in the row%s", manager, want, row)
		}
	}
}
