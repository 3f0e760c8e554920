// Command probe tries things inside a sandbox and says how they went, one JSON line each.
//
//	probe read /etc/shadow
//	probe -- read /etc/shadow -- tcp 127.0.0.1:22 -- userns
//
// What can be tried is the table of package attempt; without arguments probe lists it. A denial is a result, not a
// failure: the exit status is 0 when every attempt was made, 2 when one was not understood.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

func main() {
	attempts := split(os.Args[1:])
	if len(attempts) == 0 {
		fail(fmt.Errorf("usage: probe ACTION [ARG...] [-- ACTION [ARG...]]...\n%s", attempt.Usage()))
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, words := range attempts {
		r, err := attempt.Do(words[0], words[1:]...)
		if err != nil {
			fail(err)
		}
		if err := out.Encode(r); err != nil {
			fail(err)
		}
	}
}

// split cuts the arguments at each "--"; one in front is allowed.
func split(args []string) [][]string {
	var all [][]string
	var one []string
	for _, arg := range append(args, "--") {
		if arg != "--" {
			one = append(one, arg)
			continue
		}
		if len(one) > 0 {
			all = append(all, one)
		}
		one = nil
	}
	return all
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "probe:", err)
	os.Exit(2)
}
