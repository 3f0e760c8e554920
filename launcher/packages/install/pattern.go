package install

import (
	"regexp"
	"sync"
)

// pattern is an expression that is compiled when it is first needed: most starts install nothing, and would wait for
// that twice, as mcp-sandbox and as the shim.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
