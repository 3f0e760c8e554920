package install

import (
	"os"
	"path/filepath"
	"strings"
)

// npmRegistryLine is a line of npmrc(5) that names a registry.
var npmRegistryLine = pattern(`(?m)^\s*((?:@[^:=\s]+:)?registry)\s*=\s*(\S+)`)

// npmProject looks where npm looks: in the nearest folder with a package.json or a node_modules, else in dir itself.
// Of the file the registries are read here, and nothing else: npm is not started in a project.
func npmProject(dir, home string) (file string, registries map[string]string) {
	at := dir
	for above := dir; ; above = filepath.Dir(above) {
		if exists(above, "package.json") || exists(above, "node_modules") {
			at = above
			break
		}
		if above == filepath.Dir(above) {
			break
		}
	}
	file = filepath.Join(at, ".npmrc")
	user, err := os.Stat(filepath.Join(home, ".npmrc"))
	if info, bad := os.Stat(file); bad != nil || err == nil && os.SameFile(user, info) {
		return "", nil // the user's own is read as that
	}
	b, err := readConfiguration(file)
	registries = map[string]string{}
	for _, found := range npmRegistryLine().FindAllStringSubmatch(string(b), -1) {
		registries[found[1]] = strings.Trim(found[2], `"'`)
	}
	if err != nil || len(registries) == 0 {
		return "", nil
	}
	return file, registries
}

func exists(folder, name string) bool {
	_, err := os.Lstat(filepath.Join(folder, name))
	return err == nil
}
