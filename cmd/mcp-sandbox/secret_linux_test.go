package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// said is what this program says on standard error, and its exit status.
func said(t *testing.T, args ...string) (text string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args, cmd.Dir = append([]string{"mcp-sandbox"}, args...), t.TempDir()
	var errs strings.Builder
	cmd.Stderr = &errs
	cmd.Run()
	return errs.String(), cmd.ProcessState.ExitCode()
}

// A value that is given as NAME=VALUE may be a secret. Wherever somebody puts one that does not belong there, the name is
// told and not the value.
func TestValuesAreNotTold(t *testing.T) {
	const secret = "s3cr3t"
	policy := filepath.Join(t.TempDir(), "policy.json")
	for _, doc := range []string{
		`{"version":1,"envVars":["API_KEY=s3cr3t"]}`, `{"version":1,"envVars":["API KEY=s3cr3t"]}`, `{"version":1,"envVars":["API*=s3cr3t"]}`,
		`{"version":1,"env":{"API_KEY=s3cr3t":"x"}}`, `{"version":1,"env":{"API_KEY":"s3cr3t\u0000"}}`, `{"version":1,"env":["API_KEY=s3cr3t"]}`,
		`{"version":1,"env":{"API_KEY":["s3cr3t"]}}`, `{"version":1,"API_KEY=s3cr3t":1}`, `{"version":1,"level":"API_KEY=s3cr3t"}`,
		`{"version":1,"limits":{"memory":"API_KEY=s3cr3t"}}`, `{"version":1,"seccomp":{"deny":["API_KEY=s3cr3t"]}}`,
	} {
		if err := os.WriteFile(policy, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
		if text, code := said(t, "policy", "check", policy); code != 125 || strings.Contains(text, secret) {
			t.Errorf("%s: %d, %s", doc, code, text)
		}
	}
	for _, args := range []string{
		"--env A*=s3cr3t -- /bin/true", "--env A_=s3cr3t\xff -- /bin/true", "--envs API_KEY=s3cr3t -- /bin/true", "--envs=API_KEY=s3cr3t -- /bin/true",
		"API_KEY=s3cr3t", "API_KEY=s3cr3t -- /bin/true", "-e API_KEY=s3cr3t -- /bin/true", "-eAPI_KEY=s3cr3t -- /bin/true", "--cpu API_KEY=s3cr3t -- /bin/true",
		"--level API_KEY=s3cr3t -- /bin/true", "--memory API_KEY=s3cr3t -- /bin/true",
	} {
		if text, code := said(t, append([]string{"run"}, strings.Fields(args)...)...); code != 125 || strings.Contains(text, secret) {
			t.Errorf("%s: %d, %s", args, code, text)
		}
	}
	if text, code := said(t, "API_KEY=s3cr3t", "run"); code != 125 || strings.Contains(text, secret) {
		t.Errorf("%d, %s", code, text)
	}
}

// A server can make files and folders of any name, and a later launch says which it met. What a terminal would act on comes
// escaped, on one line.
func TestNamesAreShownEscaped(t *testing.T) {
	for _, name := range []string{"a\u009b31mb", "a\u202eb", "a\x1b[2Jb", "a\nmcp-sandbox: forged", "a\u2028b", "a\x9b31m", "a\u0085b", "a\ufeffb", "a\u2066b"} {
		text, code := said(t, "run", "--allow-read", "/no/such/"+name, "--", "/bin/true")
		line := strings.TrimSuffix(text, "\n")
		if code != 125 || !utf8.ValidString(line) || strings.ContainsFunc(line, func(r rune) bool { return !strconv.IsPrint(r) }) {
			t.Errorf("%q: %d, %q", name, code, text)
		}
	}
	if text, _ := said(t, "run", "--allow-read", "/no/such/Bücher und 漢字 \"", "--", "/bin/true"); !strings.Contains(text, "/no/such/Bücher und 漢字 \"") {
		t.Errorf("%q", text)
	}
}
