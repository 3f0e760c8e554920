package main

import (
	"slices"
	"testing"
)

// A control passes by the one difference that was made, and by nothing else.
func TestControl(t *testing.T) {
	const difference = "try: exit status 1 TestRow\n--- FAIL: TestRow\n    library: Landlock ABI is \"6\", expected \"7\""
	for _, c := range []struct {
		reasons []string
		passes  bool
	}{
		{[]string{difference}, true},
		{nil, false},
		{[]string{difference, "1-platform: ran no test"}, false},
		{[]string{"try: exit status 1 TestRow\n    no control group"}, false},
		{[]string{"the guest did not come to its end"}, false},
	} {
		if against, _ := control(c.reasons, ""); (against == nil) != c.passes {
			t.Errorf("%q: %q", c.reasons, against)
		}
	}
	if got := forwarded([]string{"HOME=/", "MCP_SANDBOX_X=1", "CI=1", "CIRCLE=1"}); !slices.Equal(got, []string{"MCP_SANDBOX_X=1", "CI=1"}) {
		t.Error(got)
	}
}
