// Command kernels boots other kernels and shows that the sandbox holds there, or refuses as it should.
//
//	make test-kernels
//	go run ./scripts/kernels -row '^6.12-(user|root)$' -v
//	go test -exec "bin/kernels exec -kernel 6.12 -uid 1000" ./platform
//
// Each row of package matrix is one machine in QEMU, one at a time. It installs QEMU by apt, keeps kernels in
// .cache/kernels, and needs a Debian with root. The last line says how many rows ran, passed, and were skipped and why.
// Exit status: 0 all rows passed, 1 not, 2 they could not be run. exec has that of the program it runs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := 0, error(nil)
	if len(os.Args) > 1 && os.Args[1] == "exec" {
		code, err = runOne(ctx, os.Args[2:])
	} else {
		code, err = runRows(ctx)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kernels:", err)
		code = 2
	}
	os.Exit(code)
}

func runRows(ctx context.Context) (int, error) {
	only := flag.String("row", "", "run only the rows whose names this regular expression matches")
	verbose := flag.Bool("v", false, "print what the guests print")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return 0, err
	}
	b, err := newBench(ctx)
	if err != nil {
		return 0, err
	}
	defer b.close()
	if err := b.build(ctx); err != nil {
		return 0, err
	}
	b.verbose = *verbose
	var results []matrix.Result
	for _, row := range matrix.Rows() {
		r := matrix.Result{Row: row.Name, Skipped: "not asked for"}
		if chosen.MatchString(row.Name) {
			r = b.result(ctx, &row)
		}
		results = append(results, r)
	}
	if *only == "" {
		results = append(results, b.control(ctx))
	}
	line, ok := matrix.Summary(results)
	fmt.Println("kernels:", line)
	if !ok {
		return 1, nil
	}
	return 0, nil
}

// result runs a row and prints what is against it.
func (b *bench) result(ctx context.Context, row *matrix.Row) matrix.Result {
	if row.Missing != "" {
		return matrix.Result{Row: row.Name, Skipped: "it takes " + row.Missing}
	}
	reasons, err := b.row(ctx, row)
	if row.Optional && errors.Is(err, debian.ErrNotServed) {
		why, _, _ := strings.Cut(err.Error(), "\n")
		fmt.Printf("kernels: %s: skipped: %s\n", row.Name, why)
		return matrix.Result{Row: row.Name, Skipped: why}
	}
	if err != nil {
		reasons = append(reasons, err.Error())
	}
	for i, text := range reasons {
		if i == 0 {
			fmt.Printf("kernels: %s: FAILED\n", row.Name)
		}
		fmt.Println("   ", text)
	}
	return matrix.Result{Row: row.Name, Reasons: reasons}
}

// control runs the row that expects wrongly. It passes if that, and nothing else, is what is found against it.
func (b *bench) control(ctx context.Context) matrix.Result {
	row := matrix.Control()
	r := matrix.Result{Row: row.Name}
	reasons, err := b.row(ctx, &row)
	if err != nil || len(reasons) != 1 || !strings.HasPrefix(reasons[0], matrix.TryStep+": exit status 1") {
		r.Reasons = []string{fmt.Sprintf("it must fail by its comparison alone: %q, %v", reasons, err)}
		fmt.Printf("kernels: %s: FAILED\n    %s\n", r.Row, r.Reasons[0])
		return r
	}
	fmt.Printf("kernels: %s: fails, as it must\n", row.Name)
	return r
}
