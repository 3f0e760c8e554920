package launcher_test

import (
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Languages are servers in the four languages that most are written in, none of which starts a program: so each must work
// where subprocess.allow is false. Node's and Go's are built on the official SDKs. It puts note.txt into dir.
func languageServers(tb testing.TB, dir string) []subject {
	tb.Helper()
	var all []subject
	for _, s := range subjects(tb, dir) {
		switch s.Name {
		case "server-everything":
			all = append(all, s)
		case "server-go":
			s.Calls = []exchange{call("echo", object{"text": "ünïcode"}, "ünïcode"), call("read_file", object{"path": filepath.Join(dir, "note.txt")}, "a note"),
				refused("read_file", object{"path": filepath.Join(dir, "none")}, "no such file")}
			all = append(all, s)
		}
	}
	python := func(tb testing.TB) []string {
		return []string{testbed.Python(tb), filepath.Join(source(tb, "server-python"), "server.py")}
	}
	java := func(tb testing.TB) []string {
		java, classes := javaRuntime(tb)
		return []string{java, "-cp", classes, "Server"}
	}
	return append(all, small("server-python", python, dir, "No such file"), small("server-java", java, dir, "NoSuchFile"))
}

// small is one of the servers without an SDK; they have the same tools.
func small(name string, command func(testing.TB) []string, dir, missing string) subject {
	return subject{
		Name:    name,
		Command: command,
		Server:  name,
		Tools:   []string{"echo", "read_file", "threads"},
		Calls: []exchange{
			call("echo", object{"text": "ünïcode \"\\\n\t"}, "ünïcode \"\\\n\t"),
			call("threads", object{}, "10 threads"),
			call("read_file", object{"path": filepath.Join(dir, "note.txt")}, "a note"),
			refused("read_file", object{"path": filepath.Join(dir, "none")}, missing),
			refused("no_such_tool", object{}, "unknown tool"),
		},
	}
}
