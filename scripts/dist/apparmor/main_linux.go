// Command apparmor reads the AppArmor profiles that the project has, the one of the archives and the one that doctor
// prints, with apparmor_parser, as for loading them.
//
//	go run ./scripts/dist/apparmor
//
// Rules on user namespaces came with AppArmor 4. A machine that has it, as Ubuntu 24.04, uses its own parser. Elsewhere
// the parser is Debian 13's, unpacked with its C library into .cache/apparmor and not installed. A wrong profile
// has to be refused, or the parser shows nothing. None is loaded: that takes Ubuntu's kernel.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
)

const (
	ofArchives = "scripts/dist/apparmor/mcp-sandbox"
	ofDoctor   = "cmd/mcp-sandbox/testdata/doctor/linux-ubuntu.golden"
	cache      = ".cache/apparmor"
	patience   = 10 * time.Minute
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "apparmor:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	profile, err := os.ReadFile(ofArchives)
	if err != nil {
		return err
	}
	printed, err := printed(ctx)
	if err != nil {
		return err
	}
	parser, err := newParser(ctx)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{ofArchives: profile, "doctor's": printed} {
		if err := parser.read(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		wrong := bytes.Replace(text, []byte("userns,"), []byte("usersn,"), 1)
		if err := parser.read(ctx, wrong); err == nil || bytes.Equal(wrong, text) {
			return fmt.Errorf("%s: with a wrong rule it is taken all the same", name)
		}
	}
	version, _, _ := strings.Cut(parser.version, "\n")
	fmt.Println("apparmor: the profile of the archives, and doctor's, are profiles:", version)
	return nil
}

// printed is what the command in doctor's remedy writes into a file.
func printed(ctx context.Context) ([]byte, error) {
	golden, err := os.ReadFile(ofDoctor)
	if err != nil {
		return nil, err
	}
	line := regexp.MustCompile(`(printf .*) \| sudo tee`).FindSubmatch(golden)
	if line == nil {
		return nil, fmt.Errorf("%s prints no profile", ofDoctor)
	}
	return exec.CommandContext(ctx, "sh", "-c", string(line[1])).Output()
}

// A parser is apparmor_parser with the folder of its includes.
type parser struct {
	command  []string
	includes string
	version  string
}

// newParser is this machine's where it knows the rule.
func newParser(ctx context.Context) (*parser, error) {
	p := &parser{includes: "/etc/apparmor.d"}
	if path, err := exec.LookPath("apparmor_parser"); err == nil && p.knowsUserns() {
		p.command = []string{path}
	} else if err := p.unpack(ctx); err != nil {
		return nil, err
	}
	version, err := p.run(ctx, nil, "--version")
	p.version = version
	return p, err
}

func (p *parser) knowsUserns() bool {
	_, err := os.Stat(filepath.Join(p.includes, "abi", "4.0"))
	return err == nil
}

func (p *parser) unpack(ctx context.Context) error {
	dir, err := debian.UnpackOf(ctx, cache, "trixie", "apparmor", "libc6")
	if err != nil {
		return err
	}
	p.includes = filepath.Join(dir, "etc", "apparmor.d")
	loaders, _ := filepath.Glob(filepath.Join(dir, "usr", "lib*", "ld-linux*.so.*"))
	libraries, _ := filepath.Glob(filepath.Join(dir, "usr", "lib", "*-linux-gnu"))
	if len(loaders) != 1 || len(libraries) != 1 || !p.knowsUserns() {
		return errors.New(dir + ": not a parser of AppArmor 4 with its C library")
	}
	program := filepath.Join(dir, "usr", "sbin", "apparmor_parser")
	p.command = []string{loaders[0], "--library-path", libraries[0], program}
	return nil
}

// read compiles a profile, without the kernel and without the machine's cache and configuration.
func (p *parser) read(ctx context.Context, profile []byte) error {
	out, err := p.run(ctx, profile, "--skip-kernel-load", "--skip-cache", "--base", p.includes)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

func (p *parser) run(ctx context.Context, profile []byte, args ...string) (string, error) {
	args = slices.Concat(p.command, args, []string{"--config-file", os.DevNull})
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Stdin = bytes.NewReader(profile)
	out, err := cmd.CombinedOutput()
	return string(out), err
}
