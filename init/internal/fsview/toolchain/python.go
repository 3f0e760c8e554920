package toolchain

import "strings"

// IsPythonLib reports whether a name is that of a Python's library folder: python3.12, python3.13t.
func IsPythonLib(name string) bool {
	rest, ok := strings.CutPrefix(name, "python")
	if !ok {
		return false
	}
	major, minor, ok := strings.Cut(rest, ".")
	return ok && digits(major) && digits(strings.TrimSuffix(minor, "t"))
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// VenvHome is the value of "home" in a pyvenv.cfg: the folder of the Python that the environment was made from.
func VenvHome(config string) string {
	for line := range strings.SplitSeq(config, "\n") {
		if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "home" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
