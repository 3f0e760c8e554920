package limitsonly

import (
	"errors"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
)

func TestFindWindows(t *testing.T) {
	files := []string{`C:\node\node.exe`, `C:\node\npx`, `C:\node\npx.cmd`, `D:\work\server.exe`, `D:\work\tool.js`, `D:\work\bin\x.bat`, `C:\tools\npx.exe`,
		`\\share\bin\far.exe`}
	exists := func(p string) bool { return slices.Contains(files, p) }
	const path = `;.;bin;"C:\node";C:\tools\;\\share\bin`
	for _, c := range []struct {
		name, pathext, want string
		kind                fsview.Reason
	}{
		{"node", "", `C:\node\node.exe`, ""},
		{"node.exe", "", `C:\node\node.exe`, ""},
		{"npx", ".EXE;.CMD", `C:\node\npx.cmd`, ""},
		{"far", "", `\\share\bin\far.exe`, ""},
		{"server", "", "", fsview.ErrNotFound}, // never in the working folder
		{`.\server`, "", `D:\work\.\server.exe`, fsview.ErrNotFound},
		{`D:\work\server`, "", `D:\work\server.exe`, ""},
		{`D:/work/server.exe`, "", `D:\work\server.exe`, ""},
		{`bin\x`, "", `D:\work\bin\x.bat`, ""},
		{`D:\work\tool.js`, ".JS;.EXE", "", fsview.ErrNotExecutable},
		{`D:\work\bin\x.bat.`, "", "", fsview.ErrNotExecutable},
		{`D:\work\bin\x.bat `, "", "", fsview.ErrNotExecutable},
		{"x", "", "", fsview.ErrNotFound},
	} {
		got, err := findWindows(c.name, `D:\work`, path, c.pathext, exists)
		if c.kind != "" {
			if !errors.Is(err, c.kind) {
				t.Errorf("%s: %q, %v, want %v", c.name, got, err, c.kind)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}
