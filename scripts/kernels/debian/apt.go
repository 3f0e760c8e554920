package debian

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// An apt is this machine's, or one with a state of its own.
type apt struct {
	config string // as APT_CONFIG; apt.conf(5)
}

// output runs a program of apt and returns what it printed. The first line of its error says what it complained of.
func (a *apt) output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, &said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // dpkg comes to the end of a package
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	if a.config != "" {
		cmd.Env = append(cmd.Env, "APT_CONFIG="+a.config)
	}
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s\n%s%s", name, args[0], err, complaint(said.String()), out, said.Bytes())
	}
	return out, err
}

// complaint is the first of apt's errors, without the mark that it puts before each; or else what was said first.
func complaint(said string) string {
	for line := range strings.Lines(said) {
		if text, ok := strings.CutPrefix(line, "E: "); ok {
			return strings.TrimSpace(text)
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return first
}

func (a *apt) update(ctx context.Context) error { return a.get(ctx, "", "update") }

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// other is an apt that reads other suites, and another architecture's packages, from the mirrors of this machine's own:
// no server is named here. All that it keeps is in work.
func other(ctx context.Context, work string, s *Source) (*apt, error) {
	main, security, err := own(ctx)
	if err != nil {
		return nil, err
	}
	var sources strings.Builder
	for _, suite := range s.Suites {
		address := main
		if strings.HasSuffix(suite, "-security") {
			address = security
		}
		fmt.Fprintf(&sources, "deb [arch=%s signed-by=%s] %s %s main\n", s.arch(), keyring, address, suite)
	}
	a := &apt{filepath.Join(work, "apt.conf")}
	config := fmt.Sprintf(`APT::Architecture "%[2]s"; APT::Architectures "%[2]s"; Acquire::Languages "none";
Dir::State::lists "%[1]s/lists"; Dir::State::status "%[1]s/status"; Dir::Cache "%[1]s/cache";
Dir::Etc::sourceparts "/dev/null"; Dir::Etc::sourcelist "%[1]s/sources.list"; APT::Sandbox::User "root";
`, work, s.arch())
	for _, folder := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(work, folder), 0o755); err != nil {
			return nil, err
		}
	}
	for name, text := range map[string]string{"apt.conf": config, "sources.list": sources.String(), "status": ""} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	if err := a.update(ctx); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotServed, err)
	}
	return a, nil
}

// own are the mirrors of this machine's own suites. Until apt's lists are there it does not know whose they are.
func own(ctx context.Context) (main, security string, err error) {
	text, err := os.ReadFile("/etc/os-release")
	if err != nil {
		return "", "", err
	}
	host := &apt{}
	for first := true; ; first = false {
		targets, err := host.output(ctx, "", "apt-get", "indextargets", "--format", targetFormat, "Identifier: Packages")
		if err != nil {
			return "", "", err
		}
		if main, security = mirrors(string(targets), codename(string(text))); main != "" {
			return main, security, nil
		}
		if !first {
			return "", "", errors.New("apt: no mirror of this system's own suite is in its sources")
		}
		if err := host.update(ctx); err != nil {
			return "", "", err
		}
	}
}
