package notice

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// This file: evidence for the cause of an early end.

// refusedActs are the refused acts that a flag allows, each with that flag; named reports whether one is of the
// network. Of processes that were too many the limit tells.
func refusedActs(denied []order.DeniedCount) (all []string, named bool) {
	for i := range denied {
		if d := &denied[i]; d.Flag != "" && d.Kind != order.DeniedLimit {
			all = append(all, name(Act(&d.Act), 60)+" ("+whole(d.Flag)+")")
			named = named || d.Kind != order.DeniedSyscall
		}
	}
	return all, named
}

// names reports whether a word, which may be a script, names a path or a path below it.
func names(word, at string) bool {
	for {
		_, rest, found := strings.Cut(word, at)
		if !found {
			return false
		}
		if rest == "" || !isWord(rest[:1], "_.-") || strings.HasSuffix(at, "/") {
			return true
		}
		word = rest
	}
}
