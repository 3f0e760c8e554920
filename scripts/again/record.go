package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// An event is a line of go test -json, as far as it is looked at.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// A test is one that failed, or a test below it, and what it printed.
type test struct{ Package, Name, Output string }

type tests []test

// of are a test and those below it.
func (all tests) of(pkg, name string) (some tests) {
	for _, t := range all {
		if t.Package == pkg && (t.Name == name || strings.HasPrefix(t.Name, name+"/")) {
			some = append(some, t)
		}
	}
	return some
}

// text is what the tests printed, below a title, indented.
func (all tests) text(title string) string {
	var b strings.Builder
	fmt.Fprintln(&b, title)
	for _, t := range all {
		for line := range strings.Lines(t.Output) {
			b.WriteString("\t" + line)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// A record takes in what go test -json prints.
type record struct {
	rest    []byte
	output  map[[2]string]*strings.Builder
	failed  tests
	passed  map[[2]string]bool
	seconds bytes.Buffer
}

func newRecord() *record {
	return &record{output: map[[2]string]*strings.Builder{}, passed: map[[2]string]bool{}}
}

// Write takes whole lines in; it never fails.
func (r *record) Write(p []byte) (int, error) {
	r.rest = append(r.rest, p...)
	for {
		line, rest, whole := bytes.Cut(r.rest, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		var e event
		if json.Unmarshal(line, &e) == nil && e.Test != "" {
			r.take(&e)
		}
		r.rest = rest
	}
}

func (r *record) take(e *event) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "output":
		b := r.output[key]
		if b == nil {
			b = new(strings.Builder)
			r.output[key] = b
		}
		b.WriteString(e.Output)
		return
	case "fail":
		t := test{Package: e.Package, Name: e.Test}
		if b := r.output[key]; b != nil {
			t.Output = b.String()
		}
		r.failed = append(r.failed, t)
	case "pass":
		r.passed[key] = true
	case "skip":
	default:
		return
	}
	delete(r.output, key)
	if !strings.Contains(e.Test, "/") {
		fmt.Fprintf(&r.seconds, "%.2f %s %s\n", e.Elapsed, e.Package, e.Test)
	}
}

func (r *record) keep(folder string) error {
	text, err := json.Marshal(r.failed)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, failedFile), text, 0o644)
	}
	return errors.Join(err, os.WriteFile(filepath.Join(folder, secondsFile), r.seconds.Bytes(), 0o644))
}

func readFailed(path string) (all tests, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	return all, err
}

// refuse prints the events of a test that is not run again.
func refuse(to io.Writer, pkg, name, why string) error {
	enc := json.NewEncoder(to)
	var all error
	for _, e := range []event{
		{Action: "run", Package: pkg, Test: name},
		{Action: "output", Package: pkg, Test: name, Output: "    not run again: " + why + "\n"},
		{Action: "fail", Package: pkg, Test: name},
		{Action: "fail", Package: pkg},
	} {
		all = errors.Join(all, enc.Encode(e))
	}
	return all
}
