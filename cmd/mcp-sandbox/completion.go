package main

import (
	_ "embed" // the scripts of the shells

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

//go:embed completion/mcp-sandbox.bash
var bashScript string

//go:embed completion/_mcp-sandbox
var zshScript string

//go:embed completion/mcp-sandbox.fish
var fishScript string

func completionCommand() command {
	return command{
		name: "completion", args: "bash|zsh|fish", short: "print what completes this program's words in a shell",
		long: `Prints the script by which a shell completes commands, flags, their values and the
names of packages, profiles and states. The script asks the mcp-sandbox of PATH, so
one script serves every version. The words of a server's COMMAND are completed as
that command's own. Where a package of a distribution installed mcp-sandbox, the
scripts are in their places already.

Each line of the examples is of one shell: bash, which wants the package
bash-completion for the words of COMMAND; zsh, behind compinit in ~/.zshrc; fish.
`,
		tips: `  D=~/.local/share/bash-completion/completions; mkdir -p $D
  mcp-sandbox completion bash >$D/mcp-sandbox
  echo 'source <(mcp-sandbox completion zsh)' >>~/.zshrc
  D=~/.config/fish/completions; mkdir -p $D
  mcp-sandbox completion fish >$D/mcp-sandbox.fish
`,
		flags: newOptions, run: printScript,
	}
}

func printScript(_ *options, args []string) int {
	if args = namesOf(args); len(args) != 1 {
		return usageError("mcp-sandbox completion", "no shell: name bash, zsh or fish")
	}
	switch args[0] {
	case "bash":
		return show(bashScript)
	case "zsh":
		return show(zshScript)
	case "fish":
		return show(fishScript)
	}
	return usageError("mcp-sandbox completion", text.Quote(args[0])+" is none of bash, zsh and fish")
}
