package profile

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// For is the profile of the package that a command line starts, by the name that the line asks the registry for; nil if
// there is none. The error of a line that cannot be read is a [startline.Unknown]. Of a line with several packages the
// package that owns the program is known when they are installed: then [ByName] has the profile, and For has none.
func For(command []string) (*Profile, error) {
	start, err := startline.Parse(command)
	if err != nil || start == nil {
		return nil, err
	}
	names := make([]string, 0, len(start.Specs))
	for _, spec := range start.Specs {
		names = append(names, spec.Ecosystem+":"+spec.Name)
	}
	if slices.Sort(names); len(slices.Compact(names)) != 1 {
		return nil, nil
	}
	return ByName(names[0])
}
