package install

import "path/filepath"

// A line of uvx is installed by pip, whose configuration says where packages come from. Where uv's own names an index,
// pip would ask another one for the same names, and what it keeps out pip would take: then nothing is installed.

// uvLimits are the variables of docs.astral.sh/uv/reference/environment that say which packages uv takes.
var uvLimits = []string{"UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS",
	"UV_EXCLUDE_NEWER", "UV_CONSTRAINT", "UV_OVERRIDE", "UV_CONFIG_FILE"}

// uvKeys are such keys of a uv.toml. A key that only looks like one is refused for nothing, which is told.
var uvKeys = pattern(`index|find-links|exclude-newer|constraint|override`)

// uvLimit is the file in which a user says where uv's tools come from, or which may be taken; "" is for
// none. For tools uv reads no configuration of a project: docs.astral.sh/uv/concepts/configuration-files.
func uvLimit(u user) string {
	for _, file := range uvFiles(u) {
		if b, err := readConfiguration(file); err == nil && uvKeys().Match(b) {
			return file
		}
	}
	return ""
}

// uvFiles are the configuration files of uv's tools.
func uvFiles(u user) []string {
	return []string{filepath.Join(u.config, "uv", "uv.toml"), "/etc/uv/uv.toml", "/etc/xdg/uv/uv.toml"}
}
