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

// reference is the variant that ratios are taken to.
const reference = "bubblewrap"

// warm are rounds that do not count: the page cache and the hosts' heaps settle.
const warm = 10

func measure(variants []*variant, rounds int) error {
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
			time.Sleep(time.Millisecond) // the kernel takes namespaces down in the background
		}
	}
	return nil
}

func (v *variant) quantile(q float64) float64 {
	slices.Sort(v.times)
	return float64(v.times[int(q*float64(len(v.times)-1))]) / float64(time.Millisecond)
}

func print(variants []*variant, rounds int) {
	var u unix.Utsname
	unix.Uname(&u)
	fmt.Printf("Linux %s, %s, %d CPUs, %s, medians of %d\n\n", unix.ByteSliceToString(u.Release[:]), runtime.GOARCH,
		runtime.NumCPU(), runtime.Version(), rounds)
	ref := 1.0
	for _, v := range variants {
		if v.name == reference {
			ref = v.quantile(0.5)
		}
	}
	fmt.Println("| launch of /bin/true | median ms | p10 | p90 | x bubblewrap |")
	fmt.Println("|---|---|---|---|---|")
	for _, v := range variants {
		m := v.quantile(0.5)
		fmt.Printf("| %s | %.2f | %.2f | %.2f | %.2f |\n", v.name, m, v.quantile(0.1), v.quantile(0.9), m/ref)
	}
}
