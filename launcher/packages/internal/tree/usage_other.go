//go:build !darwin && !linux

package tree

// Usage is nothing: nothing is installed on this system.
func Usage(string, int) (bytes int64, names int, err error) { return 0, 0, nil }

// Free is nothing, either.
func Free(string) (bytes, inodes int64) { return 0, 0 }
