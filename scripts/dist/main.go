// Command dist makes the archives with which the project is installed without Go: the programs, static, for each
// system, and the sums of all.
//
//	go run ./scripts/dist        # into bin/dist
//
// What is built is the commit that is checked out, in a clone of its own: what is not committed is not in it, and no
// name, time, owner or mode of this machine. The same commit and the same Go give the same bytes; scripts/test-dist
// tries that. The version and the time of all files are the commit's, as the go command wrote them into the programs.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

// A target is a system for which there is an archive.
type target struct{ os, arch string }

var targets = []target{
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"},
}

// programs are the commands below cmd, in the order of the archives.
var programs = []string{"mcp-sandbox", "mcp-sandbox-init", serve}

const serve = "mcp-sandbox-serve" // for Linux alone

const output = "bin/dist"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run() error {
	work, err := os.MkdirTemp("", "mcp-sandbox-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := builder{tree: filepath.Join(work, "tree"), programs: filepath.Join(work, "programs")}
	if err := b.clone(filepath.Join(work, "gitconfig")); err != nil {
		return err
	}
	if err := os.RemoveAll(output); err != nil {
		return err
	}
	if err := os.MkdirAll(output, 0o755); err != nil {
		return err
	}
	licenses, err := b.licenses()
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, t := range targets {
		name, archive, err := b.archive(t, licenses)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", t.os, t.arch, err)
		}
		if err := os.WriteFile(filepath.Join(output, name), archive, 0o644); err != nil {
			return err
		}
		line := fmt.Sprintf("%x  %s\n", sha256.Sum256(archive), name)
		fmt.Print(line)
		sums.WriteString(line)
	}
	return os.WriteFile(filepath.Join(output, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// command is a command whose complaints are seen.
func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	return cmd
}

// A builder has a clone of the checkout, and a folder for what is built of it.
type builder struct{ tree, programs string }

// clone takes the commit that is checked out here, whoever the checkout belongs to: git(1), safe.directory.
func (b *builder) clone(config string) error {
	if err := os.WriteFile(config, []byte("[safe]\n\tdirectory = *\n"), 0o600); err != nil {
		return err
	}
	cmd := command("git", "clone", "-q", ".", b.tree)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+config)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("git clone: %w", err)
	}
	return nil
}

// golang is the go command in the clone. Settings of this machine that would be seen in a program are overridden.
func (b *builder) golang(t target, args ...string) *exec.Cmd {
	cmd := command("go", args...)
	cmd.Dir = b.tree
	cmd.Env = append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFIPS140=off", "GOWORK=off", "GOFLAGS=-modcacherw")
	return cmd
}

// archive builds the programs for one system and packs them.
func (b *builder) archive(t target, licenses []byte) (name string, packed []byte, err error) {
	dir := filepath.Join(b.programs, t.os+"-"+t.arch)
	if err := b.golang(t, "build", "-trimpath", "-buildvcs=true", "-o", dir+"/", "./cmd/...").Run(); err != nil {
		return "", nil, fmt.Errorf("go build: %w", err)
	}
	suffix := ""
	if t.os == "windows" {
		suffix = ".exe"
	}
	version, made, err := stamp(filepath.Join(dir, programs[0]+suffix))
	if err != nil {
		return "", nil, err
	}
	files := []file{
		{"LICENSE", filepath.Join(b.tree, "LICENSE"), nil, 0o644},
		{"README.md", filepath.Join(b.tree, "README.md"), nil, 0o644},
		{"THIRD-PARTY-LICENSES", "", licenses, 0o644},
	}
	if t.os == "linux" {
		const profile = "apparmor/mcp-sandbox"
		files = append(files, file{profile, filepath.Join(b.tree, "scripts", "dist", profile), nil, 0o644})
	}
	if t.os != "windows" {
		shared, err := b.shared()
		if err != nil {
			return "", nil, err
		}
		files = append(files, shared...)
	}
	for _, p := range programs {
		if p == serve && t.os != "linux" {
			continue
		}
		files = append(files, file{p + suffix, filepath.Join(dir, p+suffix), nil, 0o755})
	}
	for i := range files {
		if err := files[i].read(); err != nil {
			return "", nil, err
		}
	}
	folder := strings.Join([]string{"mcp-sandbox", version, t.os, t.arch}, "-")
	if t.os == "windows" {
		packed, err = packZip(folder, made, files)
		return folder + ".zip", packed, err
	}
	packed, err = packTar(folder, made, files)
	return folder + ".tar.gz", packed, err
}

// stamp is the version that a program tells, and the time of its commit.
func stamp(program string) (version string, made time.Time, err error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "", time.Time{}, err
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if settings["vcs.modified"] != "false" {
		return "", time.Time{}, fmt.Errorf("%s is not of a commit: %v", program, (*debug.BuildInfo)(info))
	}
	made, err = time.Parse(time.RFC3339, settings["vcs.time"])
	return info.Main.Version, made, err
}
