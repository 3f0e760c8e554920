package shim_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A nest is what a policy says of each of some folders, one in the other: r and w allow reading and writing, R and W deny them.
var nests = []string{"r", "rR", "rRr", "rRw", "wRr", "wRw", "rWRr", "wWRw", "wRrW", "RrRr", "rRrRr", "wRwRw", "rwRrw", "-rRw", "rRRr", "rR-r", "wWwRrWw"}

// The nearest folder decides, however many lie in one another, and wherever: below a home of the server's own the folders on
// the way are pinned, so all that is mounted below is there twice.
func TestNests(t *testing.T) {
	const look = `for f do
		if ! [ -e "$f" ]; then echo none; elif echo y 2>/dev/null >>"$f"; then echo write; elif cat "$f" >/dev/null 2>&1; then echo read; else echo none; fi
	done`
	for place, isHome := range map[string]bool{"home": true, "elsewhere": false} {
		for _, nest := range nests {
			t.Run(place+"/"+nest, func(t *testing.T) {
				t.Parallel()
				n := plantNest(t, nest)
				home := "/nowhere/home"
				if isHome {
					home = n.top
				}
				doc, err := json.Marshal(map[string]any{"version": 1, "filesystem": n.rules, "minConfinement": "full"})
				if err != nil {
					t.Fatal(err)
				}
				o := altered.Run(t, launch{Launch: host.Launch{Policy: string(doc), Command: append([]string{"/bin/sh", "-c", look, "sh"}, n.files...)},
					Env: []string{"PATH=/usr/bin:/bin", "HOME=" + home}, Dir: "/"})
				if got := strings.Join(strings.Fields(o.Stdout), " "); got != n.want || o.Code != 0 {
					t.Errorf("got %s, %d, want %s\n%s", got, o.Code, n.want, o.Stderr)
				}
			})
		}
	}
}

// A planted is a nest in a folder of the test's.
type planted struct {
	top   string
	rules map[string][]string
	files []string // one in each folder
	want  string   // what the server may do with each, as the last rule on the way says
}

func plantNest(t *testing.T, nest string) planted {
	n := planted{top: testbed.Folder(t), rules: map[string][]string{}}
	keys := map[rune]string{'r': "allowRead", 'w': "allowWrite", 'R': "denyRead", 'W': "denyWrite"}
	var want []string
	path, read, write := filepath.Join(n.top, "project"), false, false
	for _, rule := range nest {
		path = filepath.Join(path, "x")
		file := filepath.Join(path, "file")
		if os.MkdirAll(path, 0o777) != nil || os.Chmod(path, 0o777) != nil || os.WriteFile(file, []byte("x"), 0o600) != nil || os.Chmod(file, 0o666) != nil {
			t.Fatal(path)
		}
		if key := keys[rule]; key != "" {
			n.rules[key] = append(n.rules[key], path)
		}
		switch rule {
		case 'r': // takes no writing away
			read = true
		case 'w':
			read, write = true, true
		case 'R':
			read, write = false, false
		case 'W':
			write = false
		}
		n.files = append(n.files, file)
		want = append(want, map[bool]string{write: "write", !write && read: "read", !write && !read: "none"}[true])
	}
	n.want = strings.Join(want, " ")
	return n
}
