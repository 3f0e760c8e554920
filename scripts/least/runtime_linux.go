package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A runtime is a program that servers are written for, with a server for it.
type runtime struct {
	name     string
	version  string
	launcher string // mcp-sandbox
	command  []string
	grants   []string
	report   string // a file
	patience time.Duration
}

// newRuntime is that of an argument NAME or NAME=PROGRAM.
func newRuntime(arg, tree, programs, scratch string) (*runtime, error) {
	name, program, given := strings.Cut(arg, "=")
	kind := strings.TrimRight(name, "0123456789.")
	if !given {
		program = name
	}
	script := func(language, file string) string { return filepath.Join(tree, "testdata", "server-"+language, file) }
	servers := map[string][]string{
		"node":   {script("node", "server.mjs")},
		"python": {script("python", "server.py")},
		"deno":   {"run", "--allow-all", script("node", "server.mjs")},
		"bun":    {script("node", "server.mjs")},
		"java":   {"-cp", programs, "Server"},
		"npx":    {"--no-install", "server"},
		"go":     {},
		// a JVM that was told to be small; its default heap is a part of the machine's memory
		"java-small": {"-XX:+UseSerialGC", "-Xmx16m", "-Xint", "-XX:ReservedCodeCacheSize=8m", "-Xss256k",
			"-cp", programs, "Server"},
	}
	args, known := servers[kind]
	if !known {
		return nil, fmt.Errorf("%s: no server for this runtime", arg)
	}
	if kind == "go" && !given {
		program = filepath.Join(programs, "server-go")
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, err
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	grants := []string{programs, filepath.Join(tree, "testdata")}
	if given {
		grants = append(grants, filepath.Dir(path))
	}
	r := &runtime{
		name: name, version: version(path, kind), launcher: filepath.Join(programs, "mcp-sandbox"),
		command: append([]string{path}, args...), grants: grants,
		report: filepath.Join(scratch, "report"), patience: time.Minute,
	}
	return r, nil
}

func version(path, kind string) string {
	if kind == "go" {
		path, kind = "go", "go"
	}
	for _, arg := range []string{"--version", "version"} {
		if out, err := exec.Command(path, arg).Output(); err == nil {
			first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
			return first
		}
	}
	return "unknown"
}

// build makes in dir what a measurement starts.
func build(tree, dir string) error {
	for _, command := range [][]string{
		{filepath.Join(tree, "scripts", "go"), "build", "-trimpath", "-o", dir,
			"./cmd/mcp-sandbox", "./testdata/server-go"},
		{"javac", "-d", dir, "testdata/server-java/Json.java", "testdata/server-java/Server.java"},
	} {
		if _, err := exec.LookPath(command[0]); err != nil {
			continue // no JDK: no Java
		}
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Dir, cmd.Env = tree, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", command[0], err, out)
		}
	}
	bin := filepath.Join(dir, "node_modules", ".bin") // where npx finds "server" without a network
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	script := "#!/usr/bin/env node\nimport(\"" + filepath.Join(tree, "testdata", "server-node", "server.mjs") + "\")\n"
	if err := os.WriteFile(filepath.Join(bin, "server"), []byte(script), 0o755); err != nil {
		return err
	}
	return exec.Command("chmod", "-R", "a+rX", dir).Run()
}
