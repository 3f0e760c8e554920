package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// exitCannot is doctor's answer on a machine where no server of level standard can start.
const exitCannot = 1

// doctorTime is far more than all trials take on the slowest machine.
const doctorTime = 2 * time.Minute

func doctor(o *options, args []string) int {
	if len(args) > 0 {
		return usageError("mcp-sandbox doctor", "unexpected "+text.Quote(args[0]))
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
	if o.json {
		text = asJSON(m)
	}
	switch code := show(text); {
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
