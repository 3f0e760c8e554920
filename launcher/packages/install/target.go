package install

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Apply makes the launch of a start line that of the package's program: the command, PATH and the package of the
// target, and the variables of the policy that the program needs.
func (r *Ready) Apply(p policy.Policy, t launcher.Target) (policy.Policy, launcher.Target) {
	t.Path, t.Args, t.Package = r.Command[0], r.Command[1:], r.ID()
	if t.Env == nil {
		t.Env = os.Environ()
	}
	if r.PathDir != "" {
		path := order.Lookup(t.Env, "PATH")
		t.Env = append(slices.Clip(t.Env), "PATH="+r.Path(path))
	}
	p.Env = slices.Clone(p.Env)
	for _, entry := range r.Env {
		name, value, _ := strings.Cut(entry, "=")
		p.Env = slices.DeleteFunc(p.Env, func(v policy.Variable) bool { return v.Name == name })
		p.Env = append(p.Env, policy.Variable{Name: name, Value: value})
	}
	return p, t
}

// Path is PATH for the program: the package's own programs, those of a PATH, and the runtime beside a package manager
// that was typed with its path: a client's PATH often has neither. The programs of a relative folder, or of a
// node_modules/.bin as `npm run` puts it in front, would come before the interpreter: whoever can write there, another
// server too, would choose the program.
func (r *Ready) Path(path string) string {
	all := append(filepath.SplitList(cmp.Or(path, "/usr/local/bin:/usr/bin:/bin")), r.beside)
	folders := slices.DeleteFunc(all, isAnybodys)
	return strings.Join(append([]string{r.PathDir}, folders...), string(filepath.ListSeparator))
}

// ID is the package for a report.
func (r *Ready) ID() *launcher.PackageID {
	p := r.Package
	return &launcher.PackageID{Manager: p.Manager, Spec: r.spec, Name: p.Name, Version: p.Version,
		Integrity: p.Integrity, Registry: p.Registry, Path: p.Path}
}
