// Command npm-cache installs what testdata/npm pins into .cache/npm/HASH/node_modules, HASH being that of the lock.
//
//	go build -o bin/npm-cache ./scripts/npm-cache && bin/npm-cache
//
// It is there whole or not at all, may be run by several at once, and every uid can read it. Nothing outside the
// checkout is written: no HOME is needed. Exit status: 0 installed, now or before; 1 failed, or no Node.js in CI;
// 3 no Node.js on this machine, so the rest of the suite can go on. (`go run` makes 1 of any other than 0.)
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

const noNode = 3

func main() {
	os.Exit(run())
}

func run() int {
	root, err := testbed.Root()
	if err != nil {
		return failed(err)
	}
	dir, err := testbed.CacheDir(root)
	if err != nil {
		return failed(err)
	}
	if _, err := os.Stat(dir); err == nil {
		fmt.Println("npm-cache: already there:", dir)
		return 0
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); errors.Is(err, exec.ErrNotFound) {
			if testbed.InCI() {
				return failed(fmt.Errorf("CI needs Node.js: %w", err))
			}
			fmt.Printf("npm-cache: no %s on this machine: the tests with npm servers are left out, the rest runs\n", tool)
			return noNode
		}
	}
	if err := install(root, dir); err != nil {
		return failed(err)
	}
	fmt.Println("npm-cache: installed:", dir)
	return 0
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "npm-cache:", err)
	return 1
}
