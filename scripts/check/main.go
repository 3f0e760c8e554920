// Command check runs the steps that judge a change: the gate, which every change must pass, or everything.
//
//	.ci/run                  the gate
//	make check               everything; a step whose files are as they were when it passed is not run again
//	.ci/run -step '^wine$'   the steps whose names this regular expression matches
//	.ci/run -list            their names, what they are, what they need
//
// Package-level table steps is the list. A step is named with its seconds when it ends; at the end come the ten
// longest tests, the tests that passed only the second time (see command again), and what passed, failed, was not
// run, and cannot run on this machine. The exit status is 1 if a step failed or more than three tests were flaky.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

func main() {
	all := flag.Bool("all", false, "everything, and not only the gate")
	only := flag.String("step", "", "the steps whose names this regular expression matches, passed before or not")
	list := flag.Bool("list", false, "print the steps")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ok, err := check(ctx, *all, *only, *list)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

func check(ctx context.Context, all bool, only string, list bool) (bool, error) {
	root, err := os.Getwd()
	if err != nil {
		return false, err
	}
	chosen, err := choose(all, only)
	if err != nil {
		return false, err
	}
	if list {
		for _, s := range chosen {
			fmt.Println(s.line())
		}
		return true, nil
	}
	r := run{root: root, cache: filepath.Join(root, ".cache", "check"), began: time.Now()}
	r.again, r.named = all && only == "", only != ""
	for len(chosen) > 0 {
		n := 1
		for n < len(chosen) && chosen[n].beside == chosen[0].name {
			n++
		}
		r.together(ctx, chosen[:n])
		chosen = chosen[n:]
	}
	return r.summary(os.Stdout), nil
}

// choose are the steps of a call, in the table's order.
func choose(all bool, only string) (chosen []*step, err error) {
	names, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	for i := range steps {
		s := &steps[i]
		switch {
		case only != "" && !names.MatchString(s.name), only == "" && !all && !s.gate:
		case only == "" && all && s.within != "": // what contains it runs
		default:
			chosen = append(chosen, s)
		}
	}
	if chosen == nil {
		return nil, fmt.Errorf("-step %s: no such step; -list names them", only)
	}
	return chosen, nil
}
