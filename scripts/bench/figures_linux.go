package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// show is an act's figure as its column has it.
func (a act) show(took time.Duration) string {
	if a.size == 0 {
		return fmt.Sprintf("%.1f", float64(took)/float64(time.Microsecond))
	}
	return fmt.Sprintf("%.0f", float64(a.many)*float64(a.size)/1e6/took.Seconds())
}

func printEgress(all []*rig, rounds int, from string) {
	var u unix.Utsname
	unix.Uname(&u)
	fmt.Printf("\nLinux %s, %s, %d CPUs, %s, load %s to %s, medians of %d, in parentheses x the relay in C\n\n",
		unix.ByteSliceToString(u.Release[:]), runtime.GOARCH, runtime.NumCPU(), runtime.Version(), from, load(), rounds)
	fmt.Print("| to a host outside ")
	for _, a := range acts {
		fmt.Printf("| %s ", a.title)
	}
	fmt.Println("|\n|---" + strings.Repeat("|---", len(acts)) + "|")
	yardstick := find(all, rigRelay)
	for _, r := range all {
		fmt.Printf("| %s ", r.name)
		for _, a := range acts {
			took, is := r.middle(a.title)
			cell := "|  "
			if is {
				cell = "| " + a.show(took)
			}
			if ref, has := yardstick.middle(a.title); has && is && a.size > 0 {
				cell += fmt.Sprintf(" (%.2f)", ref.Seconds()/took.Seconds())
			}
			fmt.Print(strings.TrimRight(cell, " "), " ")
		}
		fmt.Println("|")
	}
	fmt.Println("\n| what is wanted of mcp-sandbox | wanted | got, in the acts' order |\n|---|---|---|")
	for _, name := range []string{rigRelay, rigDirect} {
		wanted := map[string]string{rigRelay: "at least 0.95", rigDirect: "0.5 to 1.0"}[name]
		got := ratios(find(all, rigSandbox), find(all, name))
		fmt.Printf("| streams, x %s | %s | %s |\n", name, wanted, got)
	}
	got := ratios(find(all, rigReduced), find(all, rigSandbox))
	fmt.Printf("| streams in reduced, x %s | at least 0.5 | %s |\n", rigSandbox, got)
	for _, c := range []struct {
		act  act
		most string
	}{{acts[4], "at most 500"}, {acts[5], "at most 200"}} {
		mine, _ := find(all, rigReduced).middle(c.act.title)
		full, _ := find(all, rigSandbox).middle(c.act.title)
		fmt.Printf("| %s in reduced, more than in full | %s | %s |\n", c.act.title, c.most, c.act.show(mine-full))
	}
	for _, c := range []struct {
		act         act
		than, least string
	}{{acts[4], rigRelay, "at most 100"}, {acts[5], rigDirect, ""}} {
		mine, _ := find(all, rigSandbox).middle(c.act.title)
		other, _ := find(all, c.than).middle(c.act.title)
		if c.least != "" {
			fmt.Printf("| a connection, µs more than %s | %s | %s |\n", c.than, c.least, c.act.show(mine-other))
			continue
		}
		fmt.Printf("| a cached look-up, µs | at most 100 | %s, %s more than a name server on loopback |\n",
			c.act.show(mine), c.act.show(mine-other))
	}
}

// ratios are the medians, over all rounds, of the ratio in one round: what slows a whole round is in neither.
func ratios(mine, other *rig) string {
	var all []string
	for _, a := range acts {
		if a.size == 0 {
			continue
		}
		var each []float64
		for i, took := range mine.took[a.title] {
			each = append(each, other.took[a.title][i].Seconds()/took.Seconds())
		}
		slices.Sort(each)
		all = append(all, fmt.Sprintf("%.2f", each[len(each)/2]))
	}
	return strings.Join(all, ", ")
}

func find(all []*rig, name string) *rig {
	for _, r := range all {
		if r.name == name {
			return r
		}
	}
	return nil
}
