// Command bomb uses up one kind of resource until it is stopped, and says on standard output how far it came.
//
//	bomb memory 1G
//	bomb files | fork | threads | fill DIR 1G | create DIR 100000 | spin
//
// Each prints one line, "N ERRNO": the number of bytes, files, processes or threads it got, and what it was refused the next
// with, or "all" if it got everything. Whoever is killed prints nothing.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	args := append(os.Args[1:], "", "", "")
	if args[0] == "sleep" { // a child
		select {}
	}
	bomb := bombs()[args[0]]
	if bomb == nil {
		fmt.Fprintln(os.Stderr, "usage: bomb memory N | files | fork | threads | fill DIR N | create DIR N | spin")
		os.Exit(2)
	}
	n, err := bomb(args[1], args[2])
	say(n, err)
}

func say(n int, err error) {
	word := "all"
	if err != nil {
		word = errnoName(err)
	}
	fmt.Println(n, word)
}

// size is a number of bytes; K, M and G are powers of 1024.
func size(s string) int {
	shift := 0
	if s != "" {
		shift = map[byte]int{'K': 10, 'M': 20, 'G': 30}[s[len(s)-1]]
	}
	if shift > 0 {
		s = s[:len(s)-1]
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bomb:", err)
		os.Exit(2)
	}
	return n << shift
}
