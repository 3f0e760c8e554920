package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// completions are the scripts of the shells, each where the shell looks below /usr/local/share.
var completions = map[string]string{
	"mcp-sandbox.bash": "share/bash-completion/completions/mcp-sandbox",
	"_mcp-sandbox":     "share/zsh/site-functions/_mcp-sandbox",
	"mcp-sandbox.fish": "share/fish/vendor_completions.d/mcp-sandbox.fish",
}

// shared are the completions and the manual pages, which are the same for every system. The programs of this
// machine's system write the pages.
func (b *builder) shared() (files []file, err error) {
	for name, to := range completions {
		files = append(files, file{to, filepath.Join(b.tree, "cmd", "mcp-sandbox", "completion", name), nil, 0o644})
	}
	pages := filepath.Join(b.programs, "pages")
	if err := os.MkdirAll(pages, 0o755); err != nil {
		return nil, err
	}
	here := target{runtime.GOOS, runtime.GOARCH}
	writers := []string{"mcp-sandbox"}
	if here.os == "linux" { // where alone it can be run
		writers = append(writers, serve)
	}
	for _, program := range writers {
		cmd := b.golang(here, "run", "-trimpath", "-buildvcs=true", "./cmd/"+program, "__manual", pages)
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("manual pages of %s: %w", program, err)
		}
	}
	entries, err := os.ReadDir(pages)
	for _, e := range entries {
		to := "share/man/man" + filepath.Ext(e.Name())[1:] + "/" + e.Name()
		files = append(files, file{to, filepath.Join(pages, e.Name()), nil, 0o644})
	}
	return files, err
}
