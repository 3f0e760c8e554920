// Package attempt tries one thing and tells how it went: read a file, connect somewhere, gain a user namespace.
//
//	r := attempt.Do("read", "/home/ann/.ssh/id_ed25519")
//	fmt.Println(r.OK, r.Errno) // false ENOENT
//
// It is the one table of what a confined program tries: testdata/probe, the Go test server and the demo all use it,
// so that a denial inside a sandbox and its positive control outside are the same act. The package is for tests,
// and neither judges nor refuses. An attempt really changes the machine; those that could change a host say so
// where they are listed.
package attempt

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A Result is what one attempt came to.
type Result struct {
	Action string `json:"action"`
	OK     bool   `json:"ok"`              // the act went through
	Errno  string `json:"errno,omitempty"` // the kernel's answer by name, "ENOENT"; empty when it was not the kernel's
	Detail string `json:"detail"`          // what was got; else the error in words

	Descriptors []Descriptor `json:"descriptors,omitempty"` // of "descriptors"
}

// An action is one thing to try: how it is called and what it does.
type action struct {
	usage    string
	min, max int // number of arguments; max -1 is any
	run      func(args []string) (Result, error)
}

// Do tries name with args. A wrong name or number of arguments is a [UsageError] in words and no attempt.
func Do(name string, args ...string) (Result, error) {
	act, ok := actions()[name]
	if !ok {
		return Result{}, UsageError("unknown action " + name)
	}
	if len(args) < act.min || act.max >= 0 && len(args) > act.max {
		return Result{}, UsageError("usage: " + name + " " + act.usage)
	}
	r, err := act.run(args)
	if usage := UsageError(""); errors.As(err, &usage) {
		return Result{}, usage
	}
	r.Action, r.OK = name, err == nil
	if err != nil {
		r.Errno, r.Detail = errnoName(err), cmp.Or(r.Detail, err.Error())
	}
	return r, nil
}

// Read reads results, one JSON line each.
func Read(from io.Reader) (all []Result, err error) {
	for d := json.NewDecoder(from); d.More(); {
		var r Result
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("no result of an attempt: %w", err)
		}
		all = append(all, r)
	}
	return all, nil
}

// A UsageError says how an action is called; nothing was tried.
type UsageError string

func (e UsageError) Error() string { return string(e) }

// Usage lists every action and its arguments, one a line.
func Usage() string {
	var b strings.Builder
	all := actions()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "  %-14s %s\n", name, all[name].usage)
	}
	return b.String()
}

// actions joins what every system can try with what only Linux can.
func actions() map[string]action {
	all := map[string]action{}
	tables := []func() map[string]action{fileActions, netActions, processActions, systemActions, bombActions}
	for _, table := range tables {
		maps.Copy(all, table())
	}
	return all
}

// numeric is an action whose arguments are numbers.
func numeric(act func(n []int) (Result, error)) func([]string) (Result, error) {
	return func(args []string) (Result, error) {
		n := make([]int, len(args))
		for i, arg := range args {
			var err error
			if n[i], err = number(arg); err != nil {
				return Result{}, err
			}
		}
		return act(n)
	}
}

// said is the result of an attempt that went through with something to tell.
func said(format string, args ...any) (Result, error) {
	return Result{Detail: fmt.Sprintf(format, args...)}, nil
}
