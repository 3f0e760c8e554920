package main

import (
	"os"
	"path/filepath"
	"time"
)

// tooOld is the age at which nobody needs a temporary folder any more: no run takes a day.
const tooOld = 24 * time.Hour

// sweep removes the folders that runs left behind which were killed.
func sweep(patterns ...string) {
	for _, pattern := range patterns {
		found, _ := filepath.Glob(pattern) // a pattern of this program's own
		for _, folder := range found {
			if info, err := os.Lstat(folder); err == nil && info.IsDir() && time.Since(info.ModTime()) > tooOld {
				os.RemoveAll(folder)
			}
		}
	}
}
