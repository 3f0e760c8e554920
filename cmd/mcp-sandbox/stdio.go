package main

import (
	"errors"
	"runtime"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// stdio is what the flags say of the server's standard input and output.
type stdio struct{ tty, guard bool }

// addStdio defines the flags of the server's standard input and output.
func (o *options) addStdio() {
	o.heading("Terminal and output")
	if runtime.GOOS == "linux" {
		o.add("tty", "", "give the server a terminal of its own, connected with this one", "true", truth(&o.stdio.tty))
	}
	o.add("stdout-guard", "", "send lines that are no JSON-RPC messages to standard error", "true", truth(&o.stdio.guard))
}

func truth(at *bool) func(string) error {
	return func(s string) (err error) {
		if *at, err = strconv.ParseBool(s); err != nil {
			err = errors.New(strconv.Quote(s) + " is neither true nor false")
		}
		return err
	}
}

// into puts the flags into an order. A terminal takes lines apart and echoes what is typed: nothing there is to guard.
func (f stdio) into(o *order.Order) (why []string) {
	if f.tty && f.guard {
		return []string{hinted("mcp-sandbox run", "--tty and --stdout-guard: only one of them")}
	}
	o.TTY, o.StdoutGuard = f.tty, f.guard
	return nil
}
