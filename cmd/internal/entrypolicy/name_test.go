package entrypolicy

import (
	"strings"
	"testing"
)

// Names of servers that differ give names of files that differ, which lead nowhere.
func TestFileName(t *testing.T) {
	if got := FileName("github", ""); got != "github.json" {
		t.Error(got)
	}
	for name := range strings.FieldsSeq("con prn aux nul com0 com1 com9 lpt0 lpt9") { // devices of Windows
		if got := FileName(name, ""); !strings.HasPrefix(got, name+"-") || FileName(name+"s", "") != name+"s.json" {
			t.Error(got)
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"github", "a/b", "a_b", "A_B", "../../evil", "..", "", ".", "con", "nul", "é", "a\x00b", "a-b",
		"a-123456789abc", "x\n", strings.Repeat("x", 300), strings.Repeat("x", 299) + "y", "x "} {
		for _, where := range []string{"", "file\x00projects//home/ann"} {
			file := FileName(name, where)
			if other, found := seen[strings.ToLower(file)]; found {
				t.Errorf("%q and %q: %s", name, other, file)
			}
			seen[strings.ToLower(file)] = name
			if strings.ContainsAny(file, "/\\\x00\n:") || strings.HasPrefix(file, ".") || len(file) > 80 {
				t.Errorf("%q: %q", name, file)
			}
			if base := strings.TrimSuffix(file, ".json"); base != name && FileName(base, "") == file {
				t.Errorf("%q, and the server %q: %s", name, base, file)
			}
		}
	}
}
