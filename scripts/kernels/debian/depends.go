package debian

import (
	"slices"
	"strings"
)

// dependsOn lists the packages of a kernel that another depends on, in what `apt-cache depends` prints:
//
//	linux-image-cloud-amd64
//	  Depends: linux-image-6.1.0-56-cloud-amd64
//
// Their names have a version, a digit after "linux-image-", or another kind; alternatives are marked by a bar in front.
func dependsOn(text string, kinds ...string) (names []string) {
	for line := range strings.Lines(text) {
		relation, name, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || strings.TrimPrefix(relation, "|") != "Depends" {
			continue
		}
		if slices.ContainsFunc(kinds, func(kind string) bool {
			version, ok := strings.CutPrefix(name, "linux-"+kind+"-")
			return ok && version != "" && version[0] >= '0' && version[0] <= '9'
		}) {
			names = append(names, name)
		}
	}
	return names
}

// mirrors are the addresses from which a system of this codename gets its main and its security suite, in what
// `apt-get indextargets` prints by targetFormat; each may be missing.
func mirrors(text, codename string) (main, security string) {
	for line := range strings.Lines(text) {
		name, address, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case name == codename && main == "":
			main = address
		case name == codename+"-security" && security == "":
			security = address
		}
	}
	return main, security
}

const targetFormat = "$(CODENAME) $(REPO_URI)"

// codename is that of the system whose os-release(5) this is.
func codename(osRelease string) string {
	for line := range strings.Lines(osRelease) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "VERSION_CODENAME="); ok {
			return strings.Trim(name, `"'`)
		}
	}
	return ""
}
