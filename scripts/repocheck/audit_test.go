package repocheck

import (
	"bytes"
	"go/build"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const phases = "init/internal/"

// trusted are the packages that take part between reading the policy and the server's execve, with their files: those
// of this module that launch and streams import on linux/amd64.
func trusted(t *testing.T) map[string][]string {
	t.Helper()
	system := build.Default
	system.GOOS, system.GOARCH, system.CgoEnabled = "linux", "amd64", false
	all := map[string][]string{}
	for left := []string{phases + "confine/launch", phases + "confine/streams"}; len(left) > 0; left = left[1:] {
		dir := left[0]
		if all[dir] != nil {
			continue
		}
		p, err := system.ImportDir(filepath.Join(root(t), filepath.FromSlash(dir)), 0)
		if err != nil {
			t.Fatal(err)
		}
		all[dir] = append(p.GoFiles, p.SFiles...)
		for _, name := range p.Imports {
			if own, inside := strings.CutPrefix(name, module+"/"); inside {
				left = append(left, own)
			}
		}
	}
	if len(all) < 20 || len(all["policy"]) < 20 {
		t.Fatalf("only %d packages: the test follows the wrong imports", len(all))
	}
	return all
}

var (
	auditSum    = regexp.MustCompile(`(?m)^All of it together: (\d+) lines\.$`)
	auditFolder = regexp.MustCompile("^`(.+)`: (\\d+) lines\n")
	auditFile   = regexp.MustCompile(`(?m)^\| (\S+\.(?:go|s)) \| (.{10,120}) \|$`)
)

// docs/audit.md lists each trusted file once, with what it must get right, and for each folder the number of lines.
func TestAudit(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "audit.md"))
	if err != nil {
		t.Fatal(err)
	}
	parts, missing, sum := strings.Split(string(text), "\n### "), trusted(t), 0
	for _, part := range parts[1:] {
		head := auditFolder.FindStringSubmatch(part)
		if head == nil {
			t.Fatalf("docs/audit.md: %.60q is no folder with its number of lines", part)
		}
		dir, listed, lines := head[1], map[string]bool{}, 0
		for _, row := range auditFile.FindAllStringSubmatch(part, -1) {
			if listed[row[1]] {
				t.Errorf("docs/audit.md: two lines for %s/%s", dir, row[1])
			}
			listed[row[1]] = true
		}
		for _, name := range missing[dir] {
			if !listed[name] {
				t.Errorf("docs/audit.md: no line for %s/%s", dir, name)
			}
			delete(listed, name)
			source, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(path.Join(dir, name))))
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(source, []byte("\n"))
		}
		for name := range listed {
			t.Errorf("docs/audit.md: %s/%s is not one of the trusted files", dir, name)
		}
		said, _ := strconv.Atoi(head[2])
		if lines > said || lines*100 < said*98 {
			t.Errorf("docs/audit.md: %s had %d lines: write %d, and the reason in the commit", dir, said, lines)
			said = lines
		}
		sum += said
		delete(missing, dir)
	}
	for dir, names := range missing {
		t.Errorf("docs/audit.md: no part for %s with %s", dir, strings.Join(names, " "))
	}
	if said := auditSum.FindSubmatch(text); said == nil || string(said[1]) != strconv.Itoa(sum) {
		t.Errorf("docs/audit.md: its folders have %d lines together: write that", sum)
	}
}

// What confines imports neither what runs after the release nor what never has a server, on no system.
func TestConfineStandsAlone(t *testing.T) {
	foreign := func(dir string) bool { return below(dir, phases+"supervise") || below(dir, phases+"why") }
	for _, s := range sources(t) {
		for _, p := range s.imports {
			if below(s.dir, phases+"confine") && !s.test && foreign(strings.TrimPrefix(p, module+"/")) {
				t.Errorf("%s imports %s", s.path, p)
			}
		}
	}
	for dir := range trusted(t) {
		if foreign(dir) {
			t.Errorf("what confines imports %s, by way of others", dir)
		}
	}
}
