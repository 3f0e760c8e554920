package install

import (
	"os"
	"path/filepath"
)

// A line of uvx is installed by pip, whose configuration says where packages come from. Where uv's own names an index,
// pip would ask another one for the same names, and what it keeps out pip would take: then nothing is installed.

// uvLimits are the variables of docs.astral.sh/uv/reference/environment that say which packages uv takes.
var uvLimits = []string{"UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS",
	"UV_EXCLUDE_NEWER", "UV_CONSTRAINT", "UV_OVERRIDE"}

// uvKeys are such keys of a uv.toml. A key that only looks like one is refused for nothing, which is told.
var uvKeys = pattern(`index|find-links|exclude-newer|constraint|override`)

// uvLimit is the variable or the file by which a user says where uv's tools come from, or which may be taken; "" is for
// none. For tools uv reads no configuration of a project: docs.astral.sh/uv/concepts/configuration-files.
func uvLimit(env []string) string {
	for _, name := range uvLimits {
		if value, _ := lookup(env, name); value != "" {
			return name
		}
	}
	if no, _ := lookup(env, "UV_NO_CONFIG"); no != "" && no != "0" && no != "false" {
		return ""
	}
	for _, file := range uvFiles(env) {
		if b, err := os.ReadFile(file); err == nil && uvKeys().Match(b) {
			return file
		}
	}
	return ""
}

// uvFiles are the configuration files of uv's tools.
func uvFiles(env []string) []string {
	if file, _ := lookup(env, "UV_CONFIG_FILE"); file != "" {
		return []string{file}
	}
	user, _ := lookup(env, "XDG_CONFIG_HOME")
	if user == "" {
		home, _ := lookup(env, "HOME")
		user = filepath.Join(home, ".config")
	}
	system, _ := lookup(env, "XDG_CONFIG_DIRS")
	if system == "" {
		system = "/etc/xdg"
	}
	files := []string{filepath.Join(user, "uv", "uv.toml"), "/etc/uv/uv.toml"}
	for _, folder := range filepath.SplitList(system) {
		files = append(files, filepath.Join(folder, "uv", "uv.toml"))
	}
	return files
}
