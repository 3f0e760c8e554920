// Command kernels boots other kernels and shows that the sandbox holds there, or refuses as it should.
//
//	make test-kernels
//	go run ./scripts/kernels -row '^6.12-(user|root)$' -v
//	go run ./scripts/kernels -row '^6[.](1|12)-user$' -quick
//	go test -exec "bin/kernels exec -kernel 6.12 -uid 1000" ./platform
//
// Each row of package matrix is one machine in QEMU, two at a time. The program installs QEMU by apt, keeps kernels in
// .cache/kernels, and needs a Debian with root. The last line says how many rows ran, passed, and were skipped and why.
// Exit status: 0 all rows passed, 1 not, 2 they could not be run. exec has that of the program it runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/stage"
)

func main() {
	run := runRows
	if len(os.Args) > 1 && os.Args[1] == "exec" {
		run = runOne
	}
	stage.Main("kernels", run)
}

func runRows(ctx context.Context) (int, error) {
	only := flag.String("row", "", "run only the rows whose names this regular expression matches")
	quick := flag.Bool("quick", false, "of the project's tests only those that are marked quick")
	verbose := flag.Bool("v", false, "print what the guests print, of one at a time")
	atOnce := flag.Int("at-once", machinesAtOnce(), "machines that run at the same time")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return 0, err
	}
	if *verbose {
		*atOnce = 1
	}
	if *atOnce < 1 {
		return 0, errors.New("-at-once: at least 1")
	}
	var results []matrix.Result
	var rows []matrix.Row
	var kernels []string
	for _, row := range matrix.Rows() {
		if !chosen.MatchString(row.Name) {
			results = append(results, matrix.Result{Row: row.Name, Skipped: "not asked for"})
			continue
		}
		if *quick {
			row.Suites = slices.DeleteFunc(slices.Clone(row.Suites), func(s matrix.Suite) bool { return !s.Quick })
		}
		if rows = append(rows, row); row.Missing == "" && !slices.Contains(kernels, row.Kernel) {
			kernels = append(kernels, row.Kernel)
		}
	}
	if *only == "" {
		rows = append(rows, matrix.Control())
	}
	b, err := newBench(ctx, kernels...)
	if err != nil {
		return 0, err
	}
	defer b.close()
	if err := errors.Join(b.build(ctx, rows), b.tools()); err != nil {
		return 0, err
	}
	b.verbose = *verbose
	results = append(results, each(rows, *atOnce, func(r *matrix.Row) matrix.Result { return b.result(ctx, r) })...)
	line, ok := matrix.Summary(results)
	fmt.Print(matrix.Failed(results))
	fmt.Println("kernels:", line)
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if !ok {
		return 1, nil
	}
	return 0, nil
}
