// Command sabotage puts faults into the product, one at a time, and demands that a test notices each.
//
//	go run ./scripts/sabotage [-gate] [-run REGEXP] [-j N]
//
// testdata/sabotages.txt is the list, and says at its top how a fault is written. First the tests that it names run
// without a fault, and must pass. Then each test runs once more with its fault, which lies in an overlay of the go
// command: nothing in the checkout is changed. It must be compiled, run and fail; a test that is skipped, crashes or
// takes longer than two minutes has noticed nothing. A fault that only root's tests notice is left out for others.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

const listFile = "testdata/sabotages.txt"

func main() {
	gate := flag.Bool("gate", false, "only the faults that the gate tries")
	only := flag.String("run", "", "only the faults of which this regular expression matches \"FILE PACKAGE.TEST\"")
	jobs := flag.Int("j", runtime.NumCPU(), "how many tests run at once")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, *gate, *only, *jobs)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sabotage:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, gate bool, only string, jobs int) error {
	names, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(root, listFile))
	if err != nil {
		return err
	}
	all, err := parse(string(text))
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(b *block) bool {
		return gate && b.word != "gate" || !names.MatchString(b.file+" "+b.pkg+"."+b.test)
	})
	if len(all) == 0 {
		return errors.New("no fault is chosen")
	}
	temp, err := os.MkdirTemp("", "mcp-sandbox-sabotage-")
	if err != nil {
		return err
	}
	r := &runner{root: root, temp: temp, golang: "./scripts/go", bound: 2 * time.Minute}
	err = errors.Join(os.Chmod(temp, 0o755), r.all(ctx, all, jobs, os.Geteuid() == 0, os.Stdout))
	if ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	return errors.Join(err, os.RemoveAll(temp))
}

// all tries blocks, and prints what came of each.
func (r *runner) all(ctx context.Context, all []*block, jobs int, isRoot bool, to io.Writer) error {
	var bad error
	other := map[bool]string{true: "user", false: "root"}[isRoot]
	all = slices.DeleteFunc(all, func(b *block) bool {
		if b.word == other {
			fmt.Fprintf(to, "%v: not run, it takes %s\n", b, other)
		}
		return b.word == other
	})
	changed := map[*block]string{}
	for _, b := range all {
		text, err := b.change(r.root)
		if err != nil {
			bad = errors.Join(bad, fmt.Errorf("%v: %w", b, err))
		}
		changed[b] = text
	}
	if bad != nil {
		return bad
	}
	results := make([]error, len(all))
	r.controls(ctx, all, jobs, results)
	each(all, jobs, func(i int, b *block) {
		began := time.Now()
		if results[i] == nil {
			results[i] = r.try(ctx, b, changed[b])
		}
		word := "noticed"
		if results[i] != nil {
			word = "NOT NOTICED"
		}
		fmt.Fprintf(to, "%v: %s, %.1f s\n", b, word, time.Since(began).Seconds())
	})
	noticed := 0
	for i, b := range all {
		if results[i] == nil {
			noticed++
		} else {
			bad = errors.Join(bad, fmt.Errorf("%v: %w", b, results[i]))
		}
	}
	fmt.Fprintf(to, "%d of %d noticed\n", noticed, len(all))
	return bad
}

// controls runs the tests without a fault, those of a package together, and says of which blocks they do not pass.
func (r *runner) controls(ctx context.Context, all []*block, jobs int, results []error) {
	tests := map[string][]string{}
	var packages []string
	for _, b := range all {
		if tests[b.pkg] == nil {
			packages = append(packages, b.pkg)
		}
		if !slices.Contains(tests[b.pkg], b.test) {
			tests[b.pkg] = append(tests[b.pkg], b.test)
		}
	}
	each(packages, jobs, func(_ int, pkg string) {
		o, err := r.goTest(ctx, pkg, "", tests[pkg]...)
		for i, b := range all {
			if b.pkg != pkg {
				continue
			}
			if results[i] = err; err == nil {
				results[i] = o.wrong(b.test, "pass")
			}
		}
	})
}

// each calls for every one of a list, several at once.
func each[T any](all []T, jobs int, call func(int, T)) {
	var running sync.WaitGroup
	free := make(chan struct{}, max(1, jobs))
	for i, one := range all {
		free <- struct{}{}
		running.Go(func() {
			call(i, one)
			<-free
		})
	}
	running.Wait()
}
