package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// A variant is one way to launch /bin/true.
type variant struct {
	name   string
	launch func() error
	host   *exec.Cmd // a running process that launches, if there is one
	close  func()    // ends the host
	times  []time.Duration

	answer func() (time.Duration, error) // in place of launch: the time until a server answers
}

// reference and written are the variants that ratios are taken to.
const (
	floor     = "C floor: namespaces and mounts, nothing else"
	written   = "bubblewrap, as a user writes it"
	reference = "bubblewrap"
)

// pauses are how long the machine is idle between two launches: the kernel takes namespaces down in the background.
var pauses = [...]time.Duration{time.Millisecond, 15 * time.Millisecond}

// warm are rounds that do not count: the page cache and the hosts' heaps settle.
const warm = 10

func measure(variants []*variant, rounds int, pause time.Duration) error {
	for _, v := range variants {
		v.times = nil
	}
	for i := -warm; i < rounds; i++ {
		for _, k := range rand.Perm(len(variants)) {
			v := variants[k]
			start := time.Now()
			if err := v.launch(); err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
			if i >= 0 {
				v.times = append(v.times, time.Since(start))
			}
			time.Sleep(pause)
		}
	}
	return nil
}

func (v *variant) quantile(q float64) float64 {
	slices.Sort(v.times)
	return float64(v.times[int(q*float64(len(v.times)-1))]) / float64(time.Millisecond)
}

func print(variants []*variant, rounds int, pause time.Duration) {
	var u unix.Utsname
	unix.Uname(&u)
	fmt.Printf("\nLinux %s, %s, %d CPUs, %s, medians of %d, %v between launches\n\n",
		unix.ByteSliceToString(u.Release[:]), runtime.GOARCH, runtime.NumCPU(), runtime.Version(), rounds, pause)
	medians := map[string]float64{}
	for _, v := range variants {
		medians[v.name] = v.quantile(0.5)
	}
	fmt.Println("| launch of /bin/true | median ms | p10 | p90 | x bubblewrap | x a user's line |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, v := range variants {
		m := medians[v.name]
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f |\n", v.name, m, v.quantile(0.1), v.quantile(0.9),
			m/medians[reference], m/medians[written])
	}
}
