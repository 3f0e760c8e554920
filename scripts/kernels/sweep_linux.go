package main

import (
	"os"
	"path/filepath"
	"time"
)

// tooOld is the age of a temporary folder that no run uses any more: none takes a day.
const tooOld = 24 * time.Hour

// sweep removes the folders of a name's beginning that runs left behind which were killed.
func sweep(dir, beginning string) {
	found, _ := filepath.Glob(filepath.Join(dir, beginning+"*"))
	for _, folder := range found {
		if info, err := os.Lstat(folder); err == nil && info.IsDir() && time.Since(info.ModTime()) > tooOld {
			os.RemoveAll(folder)
		}
	}
}
