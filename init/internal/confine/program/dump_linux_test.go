package program

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// buildDump builds the program of package test/dump.
func buildDump(t *testing.T, env []string, flags ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "dump")
	cmd := exec.Command("go", append(append([]string{"build", "-o", file}, flags...), "../../test/dump")...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return file
}

func command(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// TestBytes: whatever way a binary that holds the runner is built, the executable copied out of it is the same.
func TestBytes(t *testing.T) {
	want, err := ELF()
	if err != nil {
		t.Fatal(err)
	}
	static, cgo := []string{"CGO_ENABLED=0"}, []string{"CGO_ENABLED=1"}
	modes := []struct {
		name  string
		env   []string
		flags []string
		gcc   bool
	}{
		{"plain", static, nil, false},
		{"stripped", static, []string{"-trimpath", "-ldflags=-s -w"}, false},
		{"shuffled", static, []string{"-ldflags=-randlayout=7"}, false},
		{"unoptimised", static, []string{"-gcflags=all=-N -l"}, false},
		{"pie", static, []string{"-buildmode=pie"}, false},
		{"cover", static, []string{"-cover"}, false},
		{"cgo", cgo, []string{"-ldflags=-linkmode=external"}, true},
		{"race", cgo, []string{"-race"}, true},
	}
	_, noGCC := exec.LookPath("gcc")
	for i, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			if testing.Short() && i > 0 {
				t.Skip("-short: the standard library would be built anew")
			}
			if m.gcc && noGCC != nil {
				missing(t, "gcc", "no gcc: a cgo build needs one")
			}
			dump := buildDump(t, m.env, m.flags...)
			file := filepath.Join(t.TempDir(), "elf")
			cmd := exec.Command(dump, "elf", file)
			cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v, %d bytes that are not the %d of this binary:\n%x\n%x", err, len(got), len(want), got, want)
			}
		})
	}
}

// missing skips, unless the environment says that this machine has word.
func missing(t *testing.T, word, why string) {
	t.Helper()
	if slices.Contains(strings.FieldsFunc(os.Getenv("MCP_SANDBOX_REQUIRE"), func(r rune) bool { return r == ' ' || r == ',' }), word) {
		t.Fatalf("%s, and MCP_SANDBOX_REQUIRE names %s", why, word)
	}
	t.Skip(why)
}

// TestTrials runs the programs of test/dump from files: natively, and those of the other architecture emulated.
func TestTrials(t *testing.T) {
	for arch, emulator := range map[string]string{"amd64": "qemu-x86_64", "arm64": "qemu-aarch64"} {
		if testing.Short() && arch != runtime.GOARCH {
			continue // a standard library is compiled first
		}
		t.Run(arch, func(t *testing.T) {
			var qemu []string
			if arch != runtime.GOARCH {
				path, err := exec.LookPath(emulator + "-static")
				if err != nil {
					path, err = exec.LookPath(emulator)
				}
				if err != nil {
					missing(t, "qemu", "no "+emulator+": the runner for "+arch+" was not executed")
				}
				qemu = []string{path}
			}
			dump := buildDump(t, []string{"CGO_ENABLED=0", "GOARCH=" + arch})
			dir := t.TempDir()
			elf, mem := filepath.Join(dir, "elf"), filepath.Join(dir, "mem")
			command(t, append(qemu, dump, "elf", elf)...)
			for _, c := range []struct {
				name string
				code int
			}{{"all", 42}, {"broken", Broken}, {"end", Broken}} {
				command(t, append(qemu, dump, "program", c.name, mem)...)
				if code := runFile(t, append(qemu, elf), mem); code != c.code {
					t.Errorf("%s: exit status %d, want %d", c.name, code, c.code)
				}
				command(t, append(qemu, dump, "check", c.name, mem)...)
			}
			if code := runFile(t, append(qemu, elf), os.DevNull); code != Broken {
				t.Errorf("no program: exit status %d", code)
			}
			// A check that sees nothing would pass any run: before a run it must fail.
			command(t, append(qemu, dump, "program", "all", mem)...)
			check := append(qemu, dump, "check", "all", mem)
			if out, err := exec.Command(check[0], check[1:]...).CombinedOutput(); err == nil {
				t.Errorf("the check of a program that did not run passed: %s", out)
			}
		})
	}
}

// runFile runs the executable with the file mem as descriptor 3.
func runFile(t *testing.T, args []string, mem string) int {
	t.Helper()
	f, err := os.OpenFile(mem, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.ExtraFiles = []*os.File{f}
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || !cmd.ProcessState.Exited() || len(out) > 0 {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return cmd.ProcessState.ExitCode()
}
