package launcher_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A subject is one real MCP server: what it must offer, calls, and what their answers must hold.
type subject struct {
	Name string
	// Command builds or finds it; without Node on the machine it skips the test of a Node server.
	Command func(tb testing.TB) []string
	Server  string   // the name that it answers to initialize with
	Tools   []string // some of its tools
	Calls   []exchange
}

// An exchange is one tools/call and what its first text must hold. Refused calls are answered with an error, by the server
// itself: no sandbox is needed for that.
type exchange struct {
	request
	Want    string
	Refused bool
}

// All is every subject. It puts note.txt into dir, which every uid must be able to enter.
func subjects(tb testing.TB, dir string) []subject {
	tb.Helper()
	if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("a note"), 0o644); err != nil {
		tb.Fatal(err)
	}
	return []subject{goServer(dir), everything(), filesystem(dir)}
}

func goServer(dir string) subject {
	note := filepath.Join(dir, "note.txt")
	return subject{
		Name:    "server-go",
		Command: func(tb testing.TB) []string { return []string{testbed.Program(tb, "server-go"), "--stdio"} },
		Server:  "mcp-sandbox-testserver",
		Tools:   []string{"attempt", "echo", "read_file", "write_file"},
		Calls: []exchange{
			call("echo", object{"text": "ünïcode"}, "ünïcode"),
			call("read_file", object{"path": note}, "a note"),
			refused("read_file", object{"path": note + ".none"}, "no such file"),
			call("attempt", object{"action": "list", "args": []string{dir}}, "note.txt"),
			call("write_file", object{"path": filepath.Join(dir, "new.txt"), "text": "x"}, "new.txt"),
			call("attempt", object{"action": "spawn", "args": []string{"/bin/sh", "-c", "exit 3"}}, "exit status 3"),
			call("attempt", object{"action": "env"}, "PATH="),
			refused("attempt", object{"action": "nonsense"}, "unknown action"),
		},
	}
}

func everything() subject {
	return subject{
		Name:    "server-everything",
		Command: func(tb testing.TB) []string { return npm(tb, entryEverything) },
		Server:  "mcp-servers/everything",
		Tools:   []string{"echo", "get-sum", "get-env"},
		Calls: []exchange{
			call("echo", object{"message": "hello"}, "Echo: hello"),
			call("get-sum", object{"a": 2, "b": 40}, "42"),
			refused("no-such-tool", object{}, "not found"),
		},
	}
}

func filesystem(dir string) subject {
	return subject{
		Name:    "server-filesystem",
		Command: func(tb testing.TB) []string { return append(npm(tb, entryFilesystem), dir) },
		Server:  "secure-filesystem-server",
		Tools:   []string{"read_text_file", "write_file", "list_directory"},
		Calls: []exchange{
			call("read_text_file", object{"path": filepath.Join(dir, "note.txt")}, "a note"),
			call("write_file", object{"path": filepath.Join(dir, "b.txt"), "content": "y"}, "b.txt"),
			call("list_directory", object{"path": dir}, "note.txt"),
			refused("read_text_file", object{"path": "/etc/passwd"}, "Access denied"),
		},
	}
}

func npm(tb testing.TB, entry string) []string {
	tb.Helper()
	return []string{testbed.Node(tb), filepath.Join(testbed.Modules(tb), entry)}
}

// An object is a call's arguments.
type object map[string]any

func call(name string, args object, want string) exchange {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // what stands above always encodes
	}
	return exchange{request{Name: name, Arguments: text}, want, false}
}

func refused(name string, args object, want string) exchange {
	c := call(name, args, want)
	c.Refused = true
	return c
}
