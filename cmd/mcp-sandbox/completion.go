package main

import (
	_ "embed" // the scripts of the shells

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

//go:embed completion/mcp-sandbox.bash
var bashScript string

//go:embed completion/_mcp-sandbox
var zshScript string

//go:embed completion/mcp-sandbox.fish
var fishScript string

func completionCommand() cli.Command {
	return cli.Command{
		Name: "completion", Args: "bash|zsh|fish", Short: "print what completes this program's words in a shell",
		Long: `Prints the script by which a shell completes commands, flags, their values and the
names of packages, profiles and states. The script asks the mcp-sandbox of PATH, so
one script serves every version. The words of a server's COMMAND are completed as
that command's own. Where a package of a distribution installed mcp-sandbox, the
scripts are in their places already.

Each line of the examples is of one shell: bash, which wants the package
bash-completion for the words of COMMAND; zsh, behind compinit in ~/.zshrc; fish.
`,
		Tips: `  D=~/.local/share/bash-completion/completions; mkdir -p $D
  mcp-sandbox completion bash >$D/mcp-sandbox
  echo 'source <(mcp-sandbox completion zsh)' >>~/.zshrc
  D=~/.config/fish/completions; mkdir -p $D
  mcp-sandbox completion fish >$D/mcp-sandbox.fish
`,
		Setup: func(*cli.Flags) cli.Run { return printScript },
	}
}

func printScript(args []string) int {
	if args = cli.Operands(args); len(args) != 1 {
		return cli.UsageError("completion", "name one shell: bash, zsh or fish")
	}
	switch args[0] {
	case "bash":
		return cli.Show(bashScript)
	case "zsh":
		return cli.Show(zshScript)
	case "fish":
		return cli.Show(fishScript)
	}
	return cli.UsageError("completion", text.Quote(args[0])+" is none of bash, zsh and fish")
}
