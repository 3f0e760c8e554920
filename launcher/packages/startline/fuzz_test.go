package startline

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// FuzzParse: a line is read, or refused with an Unknown. What was read has names that stay inside a folder, is the same
// when each package is named to ParseSpec, and its arguments are the last words of the line.
func FuzzParse(f *testing.F) {
	for _, line := range []string{"npx -y @s/p@^1 -- a", "npx -p p --package=q bin x", "npm exec p -- -y", "pnpm dlx p",
		"bun --bun x p", "deno run -A --allow-net=a npm:@s/p@1/bin x", "deno run jsr:@s/p", "uvx --from p>=1,<2 bin",
		"uv tool run p@1.0", "pipx run --spec p==1 bin", "go run example.com/m@v1 a", "node x/npx-cli.js p", "python3 -m uv tool run p"} {
		f.Add(strings.ReplaceAll(line, " ", "\x00"))
	}
	f.Add("npx\x00" + strings.Repeat("\x1c", 64)) // of which each byte is four in quotes
	f.Fuzz(func(t *testing.T, text string) {
		command := strings.Split(text, "\x00")
		before := slices.Clone(command)
		s, err := Parse(command)
		if !slices.Equal(command, before) {
			t.Fatalf("%q was %q", command, before)
		}
		var unknown *Unknown
		if err != nil && (s != nil || !errors.As(err, &unknown) || unknown.Reason == "" || len(unknown.Reason) > 300 ||
			strings.ContainsFunc(unknown.Reason, func(r rune) bool { return r < ' ' || r == 0x7f })) {
			t.Fatalf("%q: %v, %q", command, s, err)
		}
		if s == nil {
			return
		}
		if len(s.Specs) == 0 || s.Manager == "" || s.Tool == "" || s.Bin != "" && !IsBin(s.Bin) || s.Program != command[0] {
			t.Fatalf("%q: %+v", command, s)
		}
		for _, spec := range s.Specs {
			checkSpec(t, spec)
		}
		for _, arg := range s.Args {
			if !slices.Contains(command, arg) {
				t.Fatalf("%q: the argument %q", command, arg)
			}
		}
		if n := len(s.Args); s.Tool != "npm exec" && !slices.Equal(s.Args, command[len(command)-n:]) {
			t.Fatalf("%q: the arguments %q", command, s.Args)
		}
	})
}

// FuzzParseSpec: what is read is the same when it is written and read again.
func FuzzParseSpec(f *testing.F) {
	for _, text := range []string{"npm:@s/p@^1.2", "npm:p@v1.2.3", "jsr:@s/p@1", "pypi:P_q>=1, <2", "pypi:p@latest", "go:example.com/m@v1.2.3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		spec, err := ParseSpec(text)
		if err == nil {
			checkSpec(t, spec)
		} else if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("%q: the message %q", text, err)
		}
	})
}

func checkSpec(t *testing.T, spec Spec) {
	t.Helper()
	again, err := ParseSpec(spec.String())
	if err != nil || again != spec {
		t.Fatalf("%+v is %s, which is %+v, %v", spec, spec, again, err)
	}
	strange := func(r rune) bool { return r <= ' ' || r > 0x7e || strings.ContainsRune(`\'"$;&|<>`, r) }
	if strings.ContainsFunc(spec.Name, strange) || filepath.Clean(spec.Name) != spec.Name || !filepath.IsLocal(spec.Name) ||
		strings.HasPrefix(spec.Name, "-") || len(spec.Name) > 255 {
		t.Fatalf("the name %q", spec.Name)
	}
	if strings.ContainsAny(spec.Range, "/\\:;\n\x00") || len(spec.Range) > longestRange+2 {
		t.Fatalf("the range %q", spec.Range)
	}
	if spec.Exact() && strings.ContainsAny(spec.Range, " ^~*<>|,") {
		t.Fatalf("%q is exact", spec.Range)
	}
}
