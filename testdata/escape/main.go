// Command escape tries to get out of a sandbox by one act at a time, and says how each went, one JSON line each.
//
//	escape -- call 161 s:/ -- new 0x10000000 unshare -- fill 64 /tmp /dev/shm
//
// It knows every act of package attempt, and a few more that only an adversary needs. An act that is refused is a result:
// the exit status is 0 when each was tried, 2 when one was not understood.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

func main() {
	out := json.NewEncoder(os.Stdout)
	var words []string
	for _, arg := range append(os.Args[1:], "--") {
		if arg != "--" {
			words = append(words, arg)
			continue
		}
		if len(words) > 0 {
			r, err := try(words[0], words[1:])
			if err == nil {
				err = out.Encode(r)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, "escape:", words, err)
				os.Exit(2)
			}
		}
		words = nil
	}
}

func try(name string, args []string) (attempt.Result, error) {
	act := acts()[name]
	if act == nil {
		return attempt.Do(name, args...)
	}
	detail, err := act(args)
	r := attempt.Result{Action: name, OK: err == nil, Detail: detail}
	if err != nil {
		r.Detail, r.Errno = err.Error(), errnoName(err)
	}
	return r, nil
}
