// Command wine makes up for what Go programs need and Wine 8 lacks, for scripts/test-wine.
//
//	wine PREFIX                  # bcryptprimitives.dll, without which no Go program starts
//	wine -overlay FOLDER GOROOT  # overlay.json for go test, without which os.RemoveAll fails
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 1:
		err = library(args[0])
	case len(args) == 3 && args[0] == "-overlay":
		err = overlay(args[1], args[2])
	default:
		err = errors.New("usage: wine PREFIX | wine -overlay FOLDER GOROOT")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wine:", err)
		os.Exit(1)
	}
}

// library puts the DLL into a prefix whose Wine brings none.
func library(prefix string) error {
	path := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return os.WriteFile(path, forwarder("bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"), 0o644)
}

// overlay replaces a file of package syscall/windows. Deleting through a handle with POSIX semantics is not implemented in
// Wine 8, and it says so with another status than the one for which Go has a way round.
func overlay(folder, goroot string) error {
	const known, more = "STATUS_NOT_SUPPORTED: ", "STATUS_NOT_SUPPORTED, NTStatus(0xC0000002): " // STATUS_NOT_IMPLEMENTED
	from := filepath.Join(goroot, "src", "internal", "syscall", "windows", "at_windows.go")
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), known) {
		return errors.New(from + " is not as it was: os.RemoveAll under Wine needs another look")
	}
	to := filepath.Join(folder, "at_windows.go")
	if err := os.WriteFile(to, []byte(strings.ReplaceAll(string(text), known, more)), 0o644); err != nil {
		return err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {from: to}})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "overlay.json"), list, 0o644)
}
