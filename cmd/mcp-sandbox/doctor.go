package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// exitCannot is doctor's answer on a machine where no server of level standard can start.
const exitCannot = 1

// doctorTime is far more than all trials take on the slowest machine.
const doctorTime = 2 * time.Minute

func doctorCommand() cli.Command {
	return cli.Command{
		Name: "doctor", Args: "[--json]", Short: "try what confinement this machine gives",
		Long: `Tries everything that a launch needs, in processes that are thrown away, and prints
what came of it, a line each: [✓] it works, [!] it is limited, [✗] it is missing;
below a gap what to do about it. Changes nothing on this machine.

The exit status is 0 if a server of level standard can start here, and else 1.
`,
		Tips:  "  mcp-sandbox doctor\n  mcp-sandbox doctor --json | jq -r .confinement\n",
		Setup: cli.WithJSON(doctor),
	}
}

func doctor(_ *cli.Flags, json bool, args []string) int {
	if err := cli.NoOperand(args); err != nil {
		return cli.UsageError("doctor", err.Error())
	}
	ctx, cancel := context.WithTimeout(context.Background(), doctorTime)
	defer cancel()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	m, err := launcher.Probe(ctx)
	if err != nil {
		reexec.Say("doctor: " + err.Error())
		return exitCannot
	}
	text := checkLines(m, platform.WantsColour(os.Stdout))
	if json {
		text = cli.AsJSON(m)
	}
	switch code := cli.Show(text); {
	case code != 0:
		return code
	case m.Refused != nil:
		return exitCannot
	}
	return 0
}

// checkLines are the checks as a person reads them.
func checkLines(m *launcher.Machine, colour bool) string {
	var b strings.Builder
	for _, c := range m.Checks {
		b.WriteString(mark(c.State, colour) + " " + c.Name + ": " + c.Detail + "\n")
		if c.Fix != "" {
			b.WriteString("    fix: " + strings.ReplaceAll(c.Fix, "\n", "\n         ") + "\n")
		}
	}
	return b.String()
}

// mark is the state in brackets, in green, yellow or red; ECMA-48, SGR.
func mark(s launcher.CheckState, colour bool) string {
	sign, sgr := "[✗]", "31"
	switch s {
	case launcher.Works:
		sign, sgr = "[✓]", "32"
	case launcher.Limited:
		sign, sgr = "[!]", "33"
	}
	if !colour {
		return sign
	}
	return "\x1b[" + sgr + "m" + sign + "\x1b[0m"
}
