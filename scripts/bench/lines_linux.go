package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// lines are the words of the C floor and of bubblewrap, twice: as a user writes it, and with the sandbox's mounts.
func (b *bench) lines() map[string][]string {
	words := []string{"--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"}
	var linked []string
	all := map[string][]string{}
	for _, l := range b.links {
		all[floor] = append(all[floor], "-l", l[0], l[1])
		linked = append(linked, "--symlink", l[0], l[1])
	}
	all[written] = slices.Concat([]string{"--ro-bind", "/usr", "/usr"}, linked, []string{"--ro-bind", "/etc", "/etc"},
		words, []string{"--new-session"})
	all[reference] = slices.Concat(words, linked)
	for _, m := range b.mounts {
		all[floor] = append(all[floor], "-r", m)
		if !strings.HasPrefix(m, "/dev/") { // its --dev has them
			all[reference] = append(all[reference], "--ro-bind", m, m)
		}
	}
	return all
}

// A goHost is a Go program that launches.
type goHost struct{ name, program string }

// hosts are the small one, which is this program, and the large one, if it could be built.
func hosts(b *bench) []goHost {
	list := []goHost{{"a Go host", "host"}}
	if _, err := os.Stat(b.path("large")); err == nil {
		list = append(list, goHost{"a large Go host (client-go, grpc, prometheus)", "large"})
	}
	return list
}

// buildLarge builds this program with what hosts link that serve a cluster. The modules are in a go.mod of their own;
// where they cannot be had the rows are left out.
func buildLarge(b *bench) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	const folder = "scripts/bench/testdata/large"
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(root, "scripts/bench/large.go"): filepath.Join(root, folder, "large.go")}})
	if err == nil {
		err = os.WriteFile(b.path("overlay"), overlay, 0o644)
	}
	if err != nil {
		return err
	}
	build := exec.Command("go", "build", "-modfile="+folder+"/large.mod", "-overlay="+b.path("overlay"), "-trimpath",
		"-ldflags=-s -w", "-o", b.path("large"), "./scripts/bench")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "bench: no large host: %v\n%s", err, out)
		return nil
	}
	return rewrite(b.path("large"), b.path("large"))
}
