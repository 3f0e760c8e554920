package platform

import "path/filepath"

// Within reports whether a path of this machine is a folder or lies below it, as the system compares names. Links are
// not followed.
func Within(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}
