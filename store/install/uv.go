package install

import (
	"os"
	"path/filepath"
	"strings"
)

// A line of uvx is installed by pip, whose configuration says where packages come from. Where uv's own names an index,
// pip would ask another one for the same names, and so nothing is installed.

// uvIndexes are the variables with which docs.astral.sh/uv/reference/environment names indexes.
var uvIndexes = []string{"UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS"}

// uvIndex is the variable or the file by which a user names an index for uv's tools; "" is for none. For tools uv reads
// no configuration of a project: docs.astral.sh/uv/concepts/configuration-files.
func uvIndex(env []string) string {
	for _, name := range uvIndexes {
		if value, _ := lookup(env, name); value != "" {
			return name
		}
	}
	if no, _ := lookup(env, "UV_NO_CONFIG"); no != "" && no != "0" && no != "false" {
		return ""
	}
	for _, file := range uvFiles(env) {
		b, err := os.ReadFile(file)
		if text := string(b); err == nil && (strings.Contains(text, "index") || strings.Contains(text, "find-links")) {
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
