package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"
)

// sessions is how many wait at the same time, and ends how many of them are the first and the last ones.
const sessions, ends = 200, 20

// waitingSessions prints what many sessions that wait at the same time take, in serve and in a Go host, and in reduced.
func waitingSessions(b *bench, s *serving) error {
	reduced, err := startServing(b, b.forbidden)
	if err != nil {
		return err
	}
	defer reduced.end()
	host := waitBy("a Go host", b.command(b.path("host"), waiterArg, b.path("host"), echoArg))
	defer host.stop()
	one := func(s *serving) func() error { return func() error { _, err := s.begin(); return err } }
	fmt.Printf("\n| %d sessions at once | all, ms | first %d, ms | last %d, ms | kB PSS each | descriptors |\n",
		sessions, ends, ends)
	fmt.Println("|---|---|---|---|---|---|")
	for _, w := range []struct {
		name string
		one  func() error
		of   *serving
	}{
		{"the launcher in a Go host", func() error { _, err := host.one(); return err }, nil},
		{"serve", one(s), s}, {"serve, user namespaces forbidden", one(reduced), reduced},
	} {
		before, err := w.of.holds()
		if err != nil {
			return err
		}
		var took [sessions]time.Duration
		began := time.Now()
		for i := range took {
			each := time.Now()
			if err := w.one(); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			took[i] = time.Since(each)
		}
		all := time.Since(began)
		after, err := w.of.holds()
		if err != nil {
			return err
		}
		first, last := variant{times: took[:ends]}, variant{times: took[sessions-ends:]}
		fmt.Printf("| %s | %d | %.2f | %.2f | %.0f | %.1f |\n", w.name, all.Milliseconds(), first.quantile(0.5),
			last.quantile(0.5), float64(after[0]-before[0])/sessions, float64(after[1]-before[1])/sessions)
	}
	return nil
}

// holds are kB PSS and descriptors of serve.
func (s *serving) holds() (h [2]int, err error) {
	if s == nil {
		return h, nil
	}
	memory, err := memoryOf(s.cmd.Process.Pid)
	if err != nil {
		return h, err
	}
	files, err := filepath.Glob("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/fd/*")
	return [2]int{memory[0], len(files)}, err
}
