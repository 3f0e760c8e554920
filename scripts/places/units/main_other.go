//go:build !linux

package main

import (
	"errors"
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "units:", errors.ErrUnsupported)
	os.Exit(1)
}
