package wrapping

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/edit"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
)

// trouble is why an entry, as wrap wrote it or would, does not start the user's mcp-sandbox with the policy that is
// shown, or may not tomorrow. An entry can be a stranger's, and hosts go by all of it.
func trouble(e *Entry) error {
	scope := e.File.scope
	if e.State == edit.Wrapped && e.Reason != "" {
		return errors.New(e.Reason)
	}
	if e.URL {
		return errors.New("has a URL beside its command: its host decides which of them counts")
	}
	if scope.Project != "" && e.File.Host.Runs && e.Runs {
		return errors.New("has $(COMMAND) in it, which its host runs outside of the sandbox")
	}
	if scope.Project != "" && isElsewhere(e.Dir, scope.Project) {
		return errors.New(`has a "cwd" that is not the project's folder, in which mcp-sandbox would look for ` +
			projectPolicies)
	}
	program := e.Program
	if e.State == edit.Plain {
		program = e.program()
	}
	if err := starts(e, program); err != nil || e.Policy == "" {
		return err
	}
	return e.policyFile().check()
}

// starts is why the entry's host does not find the user's mcp-sandbox by this word, or nil.
func starts(e *Entry, program string) error {
	scope := e.File.scope
	switch {
	case program == scope.Program:
		return nil
	case strings.ContainsAny(program, `/\`):
		if !scope.isProgram(program) {
			return scope.another(program)
		}
		return yours("the program", folder.TrustedFile(program))
	case e.EnvFile:
		return errors.New("has a file of variables: a PATH in it would say which mcp-sandbox is started")
	case e.File.Host.Shell && len(e.Env) > 0:
		return errors.New("has variables, and its host starts it by a shell, which goes by some of them")
	}
	users := filepath.SplitList(scope.Machine.Getenv("PATH"))
	lists := [][]string{users} // by which some hosts look the program up whatever the entry says
	s := e.server()
	for _, variable := range append(s.Env, s.Names...) {
		switch name, value, known := strings.Cut(variable, "="); {
		case !scope.decides(name):
		case !known || name != "PATH":
			return fmt.Errorf("has a %s that its host alone knows, and which mcp-sandbox is started goes by that", name)
		default:
			lists = append(lists, filepath.SplitList(value))
		}
	}
	if scope.Machine.OS == "windows" { // where the working folder comes first
		if at := scope.programIn(e.Folder(), program); at != "" {
			return scope.another(at)
		}
	}
	for _, folders := range lists {
		if err := scope.lookUp(program, folders, users); err != nil {
			return err
		}
	}
	return nil
}

// decides reports whether hosts look programs up by a variable.
func (s *Scope) decides(name string) bool {
	if s.Machine.OS == "windows" { // which does not tell cases apart
		return strings.EqualFold(name, "PATH") || strings.EqualFold(name, "PATHEXT")
	}
	return name == "PATH" || strings.Contains(name, "{") // which opencode fills in
}

// lookUp is why the user's mcp-sandbox is not what a host finds in these folders. In a folder that is not in the user's
// own PATH, or is the project's, whoever wrote the entry can put a program of that name at any time.
func (s *Scope) lookUp(program string, folders, users []string) error {
	for _, folder := range folders {
		// To clean a path would be to leave out a link in it that is gone up from again.
		same := func(own string) bool { return strings.TrimRight(own, "/") == strings.TrimRight(folder, "/") }
		if !filepath.IsAbs(folder) || !slices.ContainsFunc(users, same) || s.inProject(folder) {
			return fmt.Errorf("has hosts look for %s in %q first, by its PATH: not one of your own folders of programs",
				program, folder)
		}
		if at := s.programIn(folder, program); s.isProgram(at) {
			return nil
		} else if at != "" {
			return s.another(at)
		}
	}
	return fmt.Errorf("starts %s by its name, and the PATH has none", program)
}

// inProject reports whether a folder lies in the project, by its name or where links lead.
func (s *Scope) inProject(folder string) bool {
	if s.Project == "" {
		return false
	}
	return platform.Within(folder, s.Project) ||
		platform.Within(platform.Resolved(folder), platform.Resolved(s.Project))
}

// programIn is the program that a host finds by a name in a folder; "" for none.
func (s *Scope) programIn(folder, program string) string {
	windows, suffixes := s.Machine.OS == "windows", []string{""}
	if windows && filepath.Ext(program) == "" {
		suffixes = strings.Split(cmp.Or(s.Machine.Getenv("PATHEXT"), ".com;.exe;.bat;.cmd"), ";")
	}
	for _, suffix := range suffixes {
		at := strings.TrimRight(folder, "/") + string(os.PathSeparator) + program + suffix
		info, err := os.Stat(at)
		if err == nil && info.Mode().IsRegular() && (windows || info.Mode()&0o111 != 0) {
			return at
		}
	}
	return ""
}

// isProgram reports whether a path leads to the user's mcp-sandbox.
func (s *Scope) isProgram(path string) bool {
	there, err := os.Stat(path)
	own, ownErr := os.Stat(s.Program)
	return err == nil && ownErr == nil && os.SameFile(there, own)
}

func (s *Scope) another(path string) error {
	return fmt.Errorf("starts %s, which is not your mcp-sandbox, %s", path, s.Program)
}
