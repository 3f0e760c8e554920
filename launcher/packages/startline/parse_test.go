package startline

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// told is a Start in one line: tool, specs, and what is not empty of the rest.
func told(s *Start) string {
	text := s.Manager + ": " + s.Tool
	for _, spec := range s.Specs {
		text += " " + spec.String()
	}
	if s.Bin != "" {
		text += " bin=" + s.Bin
	}
	if len(s.Options) > 0 {
		text += fmt.Sprintf(" options=%q", s.Options)
	}
	if len(s.Args) > 0 {
		text += fmt.Sprintf(" args=%q", s.Args)
	}
	return text
}

func TestUnderstood(t *testing.T) {
	for line, want := range map[string]string{
		"npx p":                            `npm: npx npm:p`,
		"npx -y p a b":                     `npm: npx npm:p args=["a" "b"]`,
		"npx --yes=true @s/p@^1 --flag -y": `npm: npx npm:@s/p@^1 args=["--flag" "-y"]`,
		"npx -q --loglevel silent p":       `npm: npx npm:p`,
		"npx p -- a":                       `npm: npx npm:p args=["--" "a"]`,
		"npx -- p a":                       `npm: npx npm:p args=["a"]`,
		"npx -y p --- a":                   `npm: npx npm:p args=["---" "a"]`,
		"npx -p p bin a":                   `npm: npx npm:p bin=bin args=["a"]`,
		"npx -p=p --package q@1 bin":       `npm: npx npm:p npm:q@1 bin=bin`,
		"npx --package=p -- bin -y":        `npm: npx npm:p bin=bin args=["-y"]`,
		"npx -p p -y bin -- -x":            `npm: npx npm:p bin=bin args=["--" "-x"]`,
		"npx p@latest":                     `npm: npx npm:p@latest`,
		"npx p@v1.2.3":                     `npm: npx npm:p@1.2.3`,
		"npx p@":                           `npm: npx npm:p`,
		"/usr/local/bin/npx -y p":          `npm: npx npm:p`,
		"uv0.5 tool run p":                 `pypi: uv tool run pypi:p`,
		"/opt/npx-v20.1/npx-v20.1 p":       `npm: npx npm:p`,
		"npx-20 p":                         `npm: npx npm:p`,
		"npx.cmd p":                        `npm: npx npm:p`,
		"npx-cli.js p":                     `npm: npx npm:p`,
		"/usr/bin/node /x/npm/bin/npx-cli.js p a":                `npm: npx npm:p args=["a"]`,
		"nodejs20 npm-cli.js exec p":                             `npm: npm exec npm:p`,
		"npm exec p a":                                           `npm: npm exec npm:p args=["a"]`,
		"npm exec -- p x":                                        `npm: npm exec npm:p args=["x"]`,
		"npm exec p a -- -y":                                     `npm: npm exec npm:p args=["a" "-y"]`,
		"npm exec p a --- -y":                                    `npm: npm exec npm:p args=["a" "-y"]`,
		"npm exec p -y a":                                        `npm: npm exec npm:p args=["a"]`,
		"npm exec -- p -- -y":                                    `npm: npm exec npm:p args=["--" "-y"]`,
		"npm --silent x --package p -- bin":                      `npm: npm exec npm:p bin=bin`,
		"npm exec bin --package p a":                             `npm: npm exec npm:p bin=bin args=["a"]`,
		"pnpm dlx p -y":                                          `npm: pnpm dlx npm:p args=["-y"]`,
		"pnpm -s dlx --package=p bin":                            `npm: pnpm dlx npm:p bin=bin`,
		"pnpm dlx p -- a":                                        `npm: pnpm dlx npm:p args=["--" "a"]`,
		"pnpm --package=p dlx bin a":                             `npm: pnpm dlx npm:p bin=bin args=["a"]`,
		"pnpm --package p --reporter silent dlx --package=q bin": `npm: pnpm dlx npm:p npm:q bin=bin`,
		"npm --package p --loglevel=warn exec bin":               `npm: npm exec npm:p bin=bin`,
		"npm --loglevel silent --package=p -y x -- bin -y":       `npm: npm exec npm:p bin=bin args=["-y"]`,
		"pnpx p":                       `npm: pnpm dlx npm:p`,
		"pnpm-10 dlx p":                `npm: pnpm dlx npm:p`,
		"bunx p a":                     `npm: bunx npm:p args=["a"]`,
		"bunx --bun -p p bin":          `npm: bunx npm:p bin=bin options=["--bun"]`,
		"bun --bun x p --bun":          `npm: bunx npm:p options=["--bun"] args=["--bun"]`,
		"deno run -A npm:p@1/bin a --": `npm: deno run npm:p@1 bin=bin options=["-A"] args=["a" "--"]`,
		"deno run npm:/p":              `npm: deno run npm:p`,
		"deno run -RE=x --allow-net=a:1,b -- npm:@a/b@^1 --allow-run": `npm: deno run npm:@a/b@^1 ` +
			`options=["-RE=x" "--allow-net=a:1,b"] args=["--allow-run"]`,
		"uvx P_q.R@1.0 -v":                           `pypi: uvx pypi:p-q-r==1.0 args=["-v"]`,
		"uvx p@latest":                               `pypi: uvx pypi:p@latest`,
		"uvx --from p>=1,<2 bin":                     `pypi: uvx pypi:p>=1,<2 bin=bin`,
		"uvx --with q p":                             `pypi: uvx pypi:p pypi:q`,
		"uv -q tool run p==1.0":                      `pypi: uv tool run pypi:p==1.0`,
		"python3.11 -m pipx run p a":                 `pypi: pipx run pypi:p args=["a"]`,
		"pipx run --spec p==1.0 bin a":               `pypi: pipx run pypi:p==1.0 bin=bin args=["a"]`,
		"go run example.com/m/cmd/p@v1.2.3 -x":       `go: go run go:example.com/m/cmd/p@v1.2.3 args=["-x"]`,
		"go1.22.1 run -- github.com/Burnt/m@latest":  `go: go run go:github.com/Burnt/m@latest`,
		"go run example.com/m@v0.0.0-2020-abc -- -x": `go: go run go:example.com/m@v0.0.0-2020-abc args=["--" "-x"]`,
	} {
		words := strings.Split(line, " ")
		s, err := Parse(words)
		if err != nil || s == nil {
			t.Errorf("%s: %v", line, err)
		} else if got := told(s); got != want || s.Program != words[0] {
			t.Errorf("%s:\n got %s\nwant %s", line, got, want)
		}
	}
}

// An argument is taken as it is, whatever is in it.
func TestArgumentsAreKept(t *testing.T) {
	args := []string{"", " a b ", "x\ny", "\xff", "--", "-p", "q@../.."}
	s, err := Parse(append([]string{"npx", "-y", "p"}, args...))
	if err != nil || strings.Join(s.Args, "|") != strings.Join(args, "|") {
		t.Errorf("%q, %v", s.Args, err)
	}
}

// Programs that start no packages, and forms of starters that start what is there already.
func TestNoStarter(t *testing.T) {
	for _, line := range []string{"", "ls -l", "node server.js", "node --flag", "node", "npm", "npm install p", "npm run exec",
		"npm start", "pnpm exec p", "pnpm run x", "bun", "bun x.ts", "bun run x", "deno run main.ts", "deno run",
		"deno run --config c main.ts", "deno run -=0", "deno run -", "deno task x", "python3 -m http.server", "python3 -m", "uv",
		"uv tool", "uv tool install p", "pipx install p", "go run .", "go run ./a@b", "go run -race .", "go run a.go",
		"go run", "go build example.com/x@v1", "20", "./1.2.3", ".", "/"} {
		if s, err := Parse(strings.Fields(line)); s != nil || err != nil {
			t.Errorf("%s: %v, %v", line, s, err)
		}
	}
}

func TestUnknown(t *testing.T) {
	const long = "more than 214 letters"
	for line, want := range map[string]string{
		"npx":                                    "no package is named",
		"npx -y --":                              "no package is named",
		"deno run -A jsr:@a/b":                   "packages of jsr are not installed by mcp-sandbox",
		"npx -p p":                               "no program of the package is named",
		"npx -p":                                 "the flag -p has no value",
		"npx -p -- bin":                          "the flag -p has no value",
		"npx -p p ../x":                          `"../x" is no program of a package`,
		"npx -p p -p p@2 x":                      "p is named twice",
		"npx -c p":                               "to a shell",
		"npx --call=p\tTOKEN":                    "npx hands the words behind --call to a shell",
		"npx -w a p":                             "workspaces",
		"npx --no-install p":                     "nothing is to be installed",
		"npx --no p":                             "nothing is to be installed",
		"npx --yes=false p":                      `the flag "--yes" of npx is not understood`,
		"npx -y=true p":                          `the flag "-y" of npx is not understood`,
		"npx --registry=http://u:secret@h p":     "the flag --registry names a registry",
		"npx --quiet=true p":                     `the flag "--quiet" of npx is not understood`,
		"npx http://u:secret@h/\u00e4":           isURL,
		"go run example.com/x@http://u:secret@h": isURL,
		"npx --version":                          `the flag "--version" of npx is not understood`,
		"npx -yp p bin":                          `the flag "-yp" of npx is not understood`,
		"node --inspect npx-cli.js -y p":         "options of node stand before it",
		"npm exec p --flag":                      `those of the package's program stand behind "--"`,
		"npm exec -p p":                          "npm exec reads -p as --parseable: write --package",
		"npm exec -y true p":                     "npm exec takes true for the value of -y",
		"npm --prefix d exec p":                  `the flag "--prefix" is not understood`,
		"pnpm --filter x dlx p":                  "workspaces",
		"pnpm dlx -c p":                          "to a shell",
		"bunx --no-install p":                    "nothing is to be installed",
		"deno run --config c npm:p":              `the flag "--config" of deno run is not understood`,
		"deno run --allow-scripts npm:p":         `the flag "--allow-scripts" of deno run is not understood`,
		"deno run --cached-only npm:p":           "nothing is to be installed",
		"deno run https://x/y.ts":                isURL,
		"deno run HTTPS://x/y.ts":                isURL,
		"deno run npm:p/../x":                    `"../x" is no program of a package`,
		"deno x p":                               "only deno run npm:NAME is understood",
		"uvx --python 3.12 p":                    `the flag "--python" of uvx is not understood`,
		"uvx mcp[cli]":                           "extras in brackets are not understood",
		"uvx python@3.12":                        "python is an interpreter for uv",
		"uvx --from git+https://h/r.git p":       isURL,
		"uvx p@https://u:secret@h/x":             isURL,
		"uvx p@https://u:secret@h/x.whl":         isURL,
		"uvx ./p":                                isFile,
		"npx p@https://u:secret@h/x.tgz":         isURL,
		"npx p@x.tgz":                            isFile,
		"npx https://u:secret@h/x.tgz":           isURL,
		"pnpm --package=https://u:secret@h/x.tgz dlx p":    isURL,
		"pnpm --dir d dlx p":                               `the flag "--dir" of pnpm dlx is not understood`,
		"uv --directory d run x":                           `the flag "--directory" of uv run is not understood`,
		"yarn --cwd d dlx p":                               `the flag "--cwd" of yarn dlx is not understood`,
		"uv run x":                                         "uv installs what the project or the script names",
		"pipx run https://x/y.py":                          isURL,
		"pipx run x.py":                                    isFile,
		"pipx run p;python_version>3":                      "is no range of versions",
		"go run -race example.com/m@v1":                    `the flag "-race" of go run is not understood`,
		"go run a/b@v1":                                    "with a host in front",
		"go run example.com/../x@v1":                       "is no path of a Go package",
		"go run Example.com/x@v1":                          "is no path of a Go package",
		"go run example.com/x@none":                        "is no version of a Go module",
		"go run example.com/x@a/b":                         "is no version of a Go module",
		"yarn dlx p":                                       "no packages for yarn",
		"dnx p":                                            "no packages of NuGet",
		"npx " + strings.Repeat("a", 300):                  long,
		"npx @s/" + strings.Repeat("a", 300):               long,
		"uvx " + strings.Repeat("a", 300):                  long,
		"go run a.b/" + strings.Repeat("c/", 150) + "d@v1": "more than 255 letters",
	} {
		words := strings.Split(line, " ")
		s, err := Parse(words)
		var unknown *Unknown
		if s != nil || !errors.As(err, &unknown) {
			t.Errorf("%s: %v, %v", line, s, err)
			continue
		}
		if !strings.Contains(unknown.Reason, want) || unknown.Program != words[0] || len(unknown.Reason) > 160 {
			t.Errorf("%s:\n got %s\nwant %s", line, unknown, want)
		}
		if strings.Contains(unknown.Reason, "secret") || strings.Contains(unknown.Reason, "TOKEN") {
			t.Errorf("%s: a secret is told: %s", line, unknown)
		}
	}
}
