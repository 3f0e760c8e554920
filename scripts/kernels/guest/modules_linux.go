package main

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// loadModules loads what the file "order" in a folder lists, in its order.
func loadModules(folder string) error {
	order, err := os.ReadFile(filepath.Join(folder, "order"))
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(string(order)) {
		f, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(f.Fd()), "", 0)
		f.Close()
		if err != nil && err != unix.EEXIST {
			return &os.PathError{Op: "finit_module", Path: name, Err: err}
		}
	}
	return nil
}
