// Command again is the command that gotestsum runs in the place of go test, and the judge of a second try: a
// failed test is run once more only where that can hide nothing.
//
//	gotestsum --raw-command --rerun-fails=1 --rerun-fails-run-root-test -- again FOLDER [FLAG]... -- PACKAGE...
//
// FLAG are those of go test. gotestsum appends -test.run=^TEST$ and a package when a test failed. Then again looks
// up in FOLDER how it failed, and runs it if [Verdict] says so; else it says why not, and the failure stands.
// FOLDER keeps, for command check:
//
//	failed.json   the failed tests of the first run and what they printed
//	seconds.txt   the seconds of each test
//	flaky.txt     the tests that passed the second time, with what they printed the first time
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	failedFile  = "failed.json"
	secondsFile = "seconds.txt"
	flakyFile   = "flaky.txt"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "again:", err) // gotestsum takes a line here for an error, and tries nothing more
		code = 2
	}
	os.Exit(code)
}

func run(words []string) (int, error) {
	end := slices.Index(words, "--")
	if end < 1 || end == len(words)-1 {
		return 0, fmt.Errorf("usage: again FOLDER [FLAG]... -- PACKAGE [PACKAGE]..., as scripts/test has it")
	}
	folder, flags, packages := words[0], words[1:end], words[end+1:]
	i := slices.IndexFunc(packages, func(w string) bool { return strings.HasPrefix(w, "-test.run=") })
	if i < 0 {
		return first(folder, flags, packages)
	}
	if i != len(packages)-2 {
		return 0, fmt.Errorf("what gotestsum asks for is not understood: %q", packages[i:])
	}
	return second(folder, flags, strings.TrimPrefix(packages[i], "-test.run="), packages[i+1])
}

// first runs all tests, and keeps how they failed.
func first(folder string, flags, packages []string) (int, error) {
	r := newRecord()
	code, err := goTest(append(slices.Clone(flags), packages...), io.MultiWriter(os.Stdout, r))
	if err != nil {
		return 0, err
	}
	return code, r.keep(folder)
}

// second runs one test again, or repeats that it failed.
func second(folder string, flags []string, pattern, pkg string) (int, error) {
	failed, err := readFailed(filepath.Join(folder, failedFile))
	if err != nil {
		return 0, err
	}
	name := strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")
	of := failed.of(pkg, name)
	if against := Verdict(pkg, name, of); against != "" {
		return 1, refuse(os.Stdout, pkg, name, against)
	}
	r := newRecord()
	code, err := goTest(append(slices.Clone(flags), "-run", pattern, pkg), io.MultiWriter(os.Stdout, r))
	if err != nil || code != 0 {
		return code, err
	}
	if !r.passed[[2]string{pkg, name}] {
		return 1, refuse(os.Stdout, pkg, name, "the second time it was skipped")
	}
	f, err := os.OpenFile(filepath.Join(folder, flakyFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return 0, err
	}
	_, err = io.WriteString(f, of.text(pkg+" "+name))
	return 0, errors.Join(err, f.Close())
}

// goTest runs go test -json and returns its exit status.
func goTest(args []string, to io.Writer) (int, error) {
	cmd := exec.Command("./scripts/go", append([]string{"test", "-json"}, args...)...)
	cmd.Stdout, cmd.Stderr = to, os.Stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode(), nil
	}
	return 0, err
}
