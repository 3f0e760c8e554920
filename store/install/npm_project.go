package install

import (
	"os"
	"path/filepath"
	"strings"
)

// npmRegistryLine is a line of npmrc(5) that names a registry.
var npmRegistryLine = pattern(`(?m)^\s*(?:@[^:=\s]+:)?registry\s*=\s*(\S+)`)

// npmProject looks where npm looks: in the nearest folder with a package.json or a node_modules, else in dir itself.
func npmProject(dir string, env []string) (file, registry string) {
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
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return "", ""
	}
	home, _ := lookup(env, "HOME")
	own, set := lookup(env, "npm_config_userconfig")
	if !set {
		own = filepath.Join(home, ".npmrc")
	}
	if user, err := os.Stat(own); err == nil && os.SameFile(user, info) {
		return "", "" // the user's own, which was read
	}
	b, err := readProjects(file)
	found := npmRegistryLine().FindSubmatch(b)
	if err != nil || found == nil {
		return "", ""
	}
	return file, redact(strings.Trim(string(found[1]), `"'`))
}

func exists(folder, name string) bool {
	_, err := os.Lstat(filepath.Join(folder, name))
	return err == nil
}
