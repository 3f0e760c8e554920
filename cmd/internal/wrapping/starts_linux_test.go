package wrapping

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A shop is a folder with a project and two folders of programs. The user's mcp-sandbox lies in the first.
type shop struct {
	top, own, other, project, system string
	*Scope
}

func newShop(t *testing.T, system string) *shop {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{top: top, own: filepath.Join(top, "own"), other: filepath.Join(top, "other"), project: filepath.Join(top, "project"), system: system}
	s.Scope = &Scope{Program: filepath.Join(s.own, "mcp-sandbox"), Project: s.project,
		Hosts: []*mcphosts.Host{mcphosts.ByName("cursor")}, Machine: mcphosts.Machine{OS: "linux", Home: top}}
	s.path(s.own, s.other)
	s.put(t, filepath.Join(s.own, "mcp-sandbox"), 0o755)
	if system == "windows" {
		s.put(t, filepath.Join(s.own, "mcp-sandbox.exe"), 0o644)
		s.Program += ".exe"
	}
	return s
}

func (s *shop) put(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

// path has the user's PATH be these folders.
func (s *shop) path(folders ...string) {
	s.Machine.Getenv = func(name string) string {
		if name != "PATH" {
			return ""
		}
		return strings.Join(folders, string(filepath.ListSeparator))
	}
}

// wrapped is what status says of an entry in wrap's form whose policy the user saw.
func (s *shop) wrapped(t *testing.T, program, more string) Status {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", filepath.Join(s.top, "state"))
	lies := policyFile{path: filepath.Join(s.project, projectPolicies, "s.json"), project: s.project}
	p := &policy.Policy{Level: policy.Standard}
	s.put(t, filepath.Join(s.project, ".cursor", "mcp.json"), 0o644)
	text := `{"mcpServers":{"s":{"command":"` + program + `","args":["run","--policy",".mcp-sandbox/s.json","--","x"]` + more + `}}}`
	if err := errors.Join(lies.write(p), lies.remember(p), os.WriteFile(filepath.Join(s.project, ".cursor", "mcp.json"), []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
	files, problems := s.Files()
	if len(files) != 1 || len(problems) > 0 {
		t.Fatalf("%d files, %v", len(files), problems)
	}
	s.Machine.OS = s.system // which the paths of the files above are not of
	return files[0].Entries()[0].Status()
}

// Hosts find the program of a project's entry by the entry's PATH or by their own, whichever they like.
func TestStarts(t *testing.T) {
	for _, c := range []struct {
		name, program string
		path          []string // the user's; names of folders of the shop
		more          string   // of the entry
		reason        string   // "" is wrapped
	}{
		{"as wrap writes it", "mcp-sandbox", []string{"own"}, "", ""},
		{"behind another folder of the user's", "mcp-sandbox", []string{"other", "own"}, "", ""},
		{"with a program that nobody may execute before it", "mcp-sandbox", []string{"odd", "own"}, "", ""},
		{"another comes first", "mcp-sandbox", []string{"older", "own"}, "", "starts TOP/older/mcp-sandbox, which is not your mcp-sandbox"},
		{"a link comes first", "mcp-sandbox", []string{"link", "own"}, "", ""},
		{"none", "mcp-sandbox", []string{"other"}, "", "the PATH has none"},
		{"no PATH", "mcp-sandbox", nil, "", "the PATH has none"},
		{"a relative folder", "mcp-sandbox", []string{".", "own"}, "", `look for mcp-sandbox in "." first`},
		{"an empty folder", "mcp-sandbox", []string{"", "own"}, "", "look for mcp-sandbox in \"\" first"},
		{"a relative folder behind it", "mcp-sandbox", []string{"own", "."}, "", ""},
		{"the project's folder", "mcp-sandbox", []string{"project/bin", "own"}, "", "project/bin\" first"},
		{"a link into the project", "mcp-sandbox", []string{"into", "own"}, "", "into\" first"},
		{"a suffix", "mcp-sandbox.exe", []string{"own"}, "", "the PATH has none"},
		{"another suffix", "mcp-sandbox.BAT", []string{"own"}, "", "the PATH has none"},
		{"the entry's PATH", "mcp-sandbox", []string{"own"}, `,"env":{"PATH":"TOP/own/"}`, ""},
		{"the entry's PATH, in another order", "mcp-sandbox", []string{"own", "other"}, `,"env":{"PATH":"TOP/other:TOP/own:x"}`, ""},
		{"a folder that is not there yet", "mcp-sandbox", []string{"own"}, `,"env":{"PATH":"TOP/none:TOP/own"}`, "none\" first"},
		{"the entry's other program", "mcp-sandbox", []string{"own", "older"}, `,"env":{"PATH":"TOP/older:TOP/own"}`, "starts TOP/older/"},
		{"by dots", "mcp-sandbox", []string{"own"}, `,"env":{"PATH":"TOP/own/../older:TOP/own"}`, "older\" first"},
		{"twice", "mcp-sandbox", []string{"own"}, `,"env":{"PATH":"TOP/own"},"envs":{"PATH":"TOP/older"}`, "older\" first"},
		{"what only the host knows", "mcp-sandbox", []string{"own"}, `,"env":{"PATH":"${PWD}:TOP/own"}`, "has a PATH that its host alone knows"},
		{"no text", "mcp-sandbox", []string{"own"}, `,"env":{"PATH":["TOP/older"]}`, "has a PATH that its host alone knows"},
		{"another case is another variable", "mcp-sandbox", []string{"own"}, `,"env":{"Path":"TOP/older","PATHEXT":".sh"}`, ""},
		{"a file", "mcp-sandbox", []string{"own"}, `,"ENVFILE":".env"`, "has a file of variables"},
		{"the project by name", "mcp-sandbox", []string{"own"}, `,"cwd":"TOP/project/"`, ""},
		{"a folder of the project", "mcp-sandbox", []string{"own"}, `,"cwd":"TOP/project/../other"`, `has a "cwd"`},
		{"up again from a link", "mcp-sandbox", []string{"own"}, `,"cwd":"away/.."`, `has a "cwd"`},
		{"up again from a link, by name", "mcp-sandbox", []string{"own"}, `,"cwd":"TOP/project/away/../project"`, `has a "cwd"`},
		{"up again from a link, in the PATH", "mcp-sandbox", []string{"own"}, `,"env":{"PATH":"TOP/project/away/../../own:TOP/own"}`, "../own\" first"},
		{"the project by a word, and a folder of that name", "mcp-sandbox", []string{"own"}, `,"cwd":"${workspaceFolder}"`, `has a "cwd"`},
		{"a name that opencode fills in", "mcp-sandbox", []string{"own"}, `,"env":{"{file:./name}":"TOP/older"}`, "has a {file:./name} that its host alone knows"},
		{"an address beside it", "mcp-sandbox", []string{"own"}, `,"URL":"https://x"`, "has a URL beside its command"},
		{"no address", "mcp-sandbox", []string{"own"}, `,"url":null,"uri":""`, ""},
		{"two folders", "mcp-sandbox", []string{"own"}, `,"cwd":".","workingDirectory":"TOP/other"`, "two keys name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShop(t, "linux")
			s.put(t, filepath.Join(s.top, "older", "mcp-sandbox"), 0o755)
			s.put(t, filepath.Join(s.top, "odd", "mcp-sandbox"), 0o644)
			if err := errors.Join(os.Mkdir(s.top+"/link", 0o755), os.Symlink(s.Program, s.top+"/link/mcp-sandbox"),
				os.MkdirAll(s.project+"/bin", 0o755), os.Symlink(s.project+"/bin", s.top+"/into"),
				os.Symlink(s.top+"/older", s.project+"/away"), os.Mkdir(s.project+"/${workspaceFolder}", 0o755)); err != nil {
				t.Fatal(err)
			}
			folders := append([]string(nil), c.path...)
			for i, folder := range folders {
				if folder != "" && folder != "." {
					folders[i] = filepath.Join(s.top, folder)
				}
			}
			s.path(folders...)
			top := strings.NewReplacer("TOP", s.top)
			got := s.wrapped(t, c.program, top.Replace(c.more))
			if c.reason == "" && (got.State != "wrapped" || got.Reason != "") ||
				c.reason != "" && (got.State != "cannot" || !strings.Contains(got.Reason, top.Replace(c.reason))) {
				t.Errorf("%s: %s, want %q", got.State, got.Reason, c.reason)
			}
		})
	}
}

// Zed starts servers by a shell, and that reads BASH_ENV and their like. Crush runs $(COMMAND) itself.
func TestShells(t *testing.T) {
	for _, c := range []struct{ host, more, want string }{
		{"zed", "", "wrapped"}, {"zed", `,"env":{"BASH_ENV":"x"}`, "cannot"}, {"cursor", `,"env":{"BASH_ENV":"x"}`, "wrapped"},
		{"crush", `,"env":{"A":"$A"}`, "wrapped"}, {"crush", `,"env":{"A":"${A:-$(id)}"}`, "cannot"}, {"crush", ",\"title\":\"`id`\"", "cannot"},
		{"cursor", `,"env":{"A":"$(id)"}`, "wrapped"},
	} {
		s, h := newShop(t, "linux"), *mcphosts.ByName("cursor")
		h.Shell, h.Runs, s.Hosts = mcphosts.ByName(c.host).Shell, mcphosts.ByName(c.host).Runs, []*mcphosts.Host{&h}
		if got := s.wrapped(t, "mcp-sandbox", c.more); got.State != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A file of a project is not read where it is long.
func TestLongFiles(t *testing.T) {
	s := newShop(t, "linux")
	path := filepath.Join(s.project, ".cursor", "mcp.json")
	s.put(t, path, 0o644)
	for more, want := range []int{0, 1} {
		if err := os.WriteFile(path, []byte(strings.Repeat(" ", mostOfProject+more)), 0o644); err != nil {
			t.Fatal(err)
		}
		if files, problems := s.Files(); len(problems) != want || len(files) != 1-want {
			t.Errorf("%d bytes more: %d files, %v", more, len(files), problems)
		}
	}
}

// On Windows a suffix stands for the program's, the working folder comes first, and variables have no case.
func TestStartsOnWindows(t *testing.T) {
	for _, c := range []struct{ name, program, file, more, reason string }{
		{"as wrap writes it", "mcp-sandbox", "", "", ""},
		{"with its suffix", "mcp-sandbox.exe", "", "", ""},
		{"another suffix", "mcp-sandbox.cmd", "", "", "the PATH has none"},
		{"one in the project", "mcp-sandbox", "project/mcp-sandbox.BAT", "", ""}, // no file of Windows
		{"one in the project that comes first", "mcp-sandbox", "project/mcp-sandbox.bat", "", "starts TOP/project/mcp-sandbox.bat"},
		{"one before it", "mcp-sandbox", "own/mcp-sandbox.com", "", "starts TOP/own/mcp-sandbox.com"},
		{"one behind it", "mcp-sandbox", "own/mcp-sandbox.cmd", "", ""},
		{"PATH in another case", "mcp-sandbox", "", `,"env":{"Path":"TOP/own"}`, "has a Path that its host alone knows"},
		{"other suffixes", "mcp-sandbox", "", `,"env":{"PATHEXT":".sh"}`, "has a PATHEXT that its host alone knows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShop(t, "windows")
			if c.file != "" {
				s.put(t, filepath.Join(s.top, c.file), 0o644)
			}
			got := s.wrapped(t, c.program, strings.ReplaceAll(c.more, "TOP", s.top))
			if (got.State == "wrapped") != (c.reason == "") || !strings.Contains(got.Reason, strings.ReplaceAll(c.reason, "TOP", s.top)) {
				t.Errorf("%s: %s, want %q", got.State, got.Reason, c.reason)
			}
		})
	}
}
