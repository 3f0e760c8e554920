// Command places tries servers where docs/deployment.md says they run: in containers of Docker's and podman's own engines, in
// the container of the document's Pod, and in units of systemd's.
//
//	make test-places
//	go run ./scripts/places -only '^docker/a user$' -v
//
// Package table has the places and what is expected of each. The engines are Debian's packages, unpacked and not installed;
// they run in namespaces and a control group of their own. systemd runs in a virtual machine, by command kernels. It needs
// root on Debian 12, node, python3 and java. Exit status: 0 all as expected, 1 not, 2 something could not be tried.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := 0, error(nil)
	if len(os.Args) == 5 && os.Args[1] == insideArg {
		err = inside(ctx, os.Args[2], os.Args[3], os.Args[4])
	} else {
		code, err = outside(ctx)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "places:", err)
		code = 2
	}
	os.Exit(code)
}

func outside(ctx context.Context) (int, error) {
	only := flag.String("only", "", "try only the places whose names this regular expression matches")
	verbose := flag.Bool("v", false, "print the account of each place, and what the machine prints")
	flag.Parse()
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return 0, err
	}
	b, err := newBench(ctx, *verbose)
	if err != nil {
		return 0, err
	}
	defer b.close()
	s := &summary{verbose: *verbose}
	for _, g := range groups() {
		if !g.any(chosen) {
			s.left += len(g.places())
			continue
		}
		t, err := g.try(ctx, b, chosen)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", g.name, err)
		}
		s.group(&g, chosen, t)
	}
	fmt.Println("places:", s.line())
	if s.failed > 0 || s.passed == 0 {
		return 1, nil
	}
	return 0, nil
}
