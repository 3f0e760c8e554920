package escape_test

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// adversaryName is the file name of a copy of this test binary that is the adversary: a program that tries to get out
// of a sandbox by one act at a time, and prints how each went, one JSON line each.
//
//	escape -- call 161 s:/ -- new 0x10000000 unshare -- fill 64 /tmp /dev/shm
//
// It knows every act of package attempt, and those of acts. An act that is refused is a result: the exit status is 0
// when each was tried, 2 when one was not understood.
const adversaryName = "escape"

// actAll is the adversary's main. os.Exit of a -race build waits a second.
func actAll(args []string) {
	out := json.NewEncoder(os.Stdout)
	var words []string
	for _, arg := range append(args, "--") {
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
	syscall.Exit(0)
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
