package golang

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/mod/module"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
)

// validVersion matches the word behind the @ of a package.
var validVersion = job.Pattern(`^[A-Za-z0-9<>=][A-Za-z0-9._+<>=-]*$`)

// errAge is why no Go module is old enough for certain.
var errAge = errors.New("--min-age cannot be held for Go: a proxy tells the date of a module's commit, which its " +
	"author writes. Without --min-age it is installed, and counts as old as it has been in the store")

// install runs `go install`.
func install(ctx context.Context, j *job.Job) (*job.Contents, error) {
	spec, a := j.Start.Specs[0], j.Settings.Answer.(*answer)
	wanted := cmp.Or(spec.Range, "latest")
	switch {
	case len(j.Start.Specs) > 1 || module.CheckImportPath(spec.Name) != nil || !validVersion().MatchString(wanted):
		return nil, fmt.Errorf("%.200q is no path of a package with a version", spec.Name+"@"+wanted)
	case module.MatchPrefixPatterns(a.GONOPROXY, spec.Name):
		return nil, fmt.Errorf("%s matches GOPRIVATE or GONOPROXY (%.200s) and would come from its repository, %s",
			spec.Name, a.GONOPROXY, job.ByVersionControl)
	case !j.Before.IsZero():
		return nil, errAge
	}
	for _, folder := range []string{"bin", filepath.Base(j.Private) + "/tmp"} {
		if err := j.Folder(folder); err != nil {
			return nil, err
		}
	}
	j.Program = filepath.Join(a.GOROOT, "bin", "go") // not a starter of a version manager
	run := job.Step{Args: []string{"install", "-x", spec.Name + "@" + wanted}, Env: variables(j)}
	if err := j.RunWithNetrc(ctx, run); err != nil {
		return nil, err
	}
	return contents(j, spec.Name)
}
