package launcher_test

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Servers in four languages pass a whole session under the usual filter, and where they may start no other program: with the
// Go host over pipes, with the TypeScript host over socketpairs.
func TestLanguages(t *testing.T) {
	for _, mode := range []struct {
		name  string
		allow policy.Bool
		flag  string
	}{{"usual", policy.Unset, "--subprocess=true"}, {"one-exec", policy.No, "--no-subprocess"}} {
		dir := testbed.Folder(t)
		for _, one := range languageServers(t, dir) {
			if testing.Short() && (one.Name == "server-java" || mode.allow == policy.No && one.Name != "server-go") {
				continue // shim TestOneExecRuntimes has Python, Node.js and Java
			}
			s := &session{subject: one, read: []string{dir}}
			t.Run(mode.name+"/"+s.Name, func(t *testing.T) {
				s.language(t)
				s.subprocess = mode.allow
				if !testing.Short() || mode.allow == policy.No || s.Name == "server-python" { // else TestGoHost has it
					s.goHost(t)
				}
				s.typeScript(t, append(s.run(t), mode.flag, "--report-fd", "3", "--")...)
			})
		}
	}
}

// language finds the server, and grants the folder that its code lies in.
func (s *session) language(t *testing.T) {
	t.Helper()
	s.words = s.Command(t)
	switch s.Name {
	case "server-everything":
		s.read = append(s.read, testbed.Modules(t))
	case "server-python":
		s.read = append(s.read, source(t, "server-python"))
	case "server-java":
		s.read = append(s.read, s.words[2])
	}
	s.implied = implied(t, s.words[0])
}
