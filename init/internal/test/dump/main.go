//go:build linux

// Command dump writes the runner of this build and small programs for it to files, so that a test can compare the bytes
// of several builds and run them for another architecture under an emulator.
package main

import (
	"fmt"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "dump:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "elf":
		elf, err := program.ELF()
		if err != nil {
			return err
		}
		return os.WriteFile(args[1], elf, 0o700)
	case len(args) == 3 && args[0] == "program":
		mem := make([]byte, program.Size)
		if _, err := build(args[1], program.New(mem)); err != nil {
			return err
		}
		return os.WriteFile(args[2], mem, 0o600)
	case len(args) == 3 && args[0] == "check":
		mem := make([]byte, program.Size)
		p := program.New(mem)
		check, err := build(args[1], p)
		if err != nil {
			return err
		}
		ran, err := os.ReadFile(args[2])
		if err != nil {
			return err
		}
		copy(mem, ran)
		return check(p.Copy())
	}
	return fmt.Errorf("usage: dump elf FILE | program NAME FILE | check NAME FILE")
}
