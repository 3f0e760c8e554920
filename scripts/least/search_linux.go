package main

import (
	"strconv"
	"strings"
)

// A limit is a flag of run, and from where to where its value is searched.
type limit struct {
	flag   string
	fact   string // of the report's layer limits; its name begins so
	group  string // the fact of layer cgroup that takes its place
	unit   string
	lowest int64 // the policy refuses less
	most   int64
}

var limits = [...]limit{
	{"memory", "data", "memory.max", "M", 16, 8 << 10},
	{"pids", "processes", "pids.max", "", 1, 512},
	{"open-files", "open files", "", "", 1, 1024},
	{"tmp-size", "", "", "M", 1, 1 << 10},
	{"file-size", "file size", "", "K", 1, 1 << 20},
	{"address-space", "address space", "", "M", 16, 4 << 20},
}

func (l limit) value(n int64) string { return strconv.FormatInt(n, 10) + l.unit }

// A result is what a search came to.
type result struct {
	least  int64
	heldBy string
	fails  []failure
}

type failure struct {
	at      string
	outcome outcome
}

func (l limit) least(r result) string {
	switch r.least {
	case 0:
		return "more than " + l.value(l.most)
	case l.lowest:
		return "any"
	}
	return l.value(r.least)
}

// below says how launches with less ended: the values that were tried, by outcome.
func (r result) below() string {
	var all []string
	for _, f := range r.fails {
		all = append(all, f.at+" "+string(f.outcome))
	}
	return strings.Join(all, ", ")
}

// search finds the lowest value that try accepts, to one part in 32 of it: up by doubling, and then between the last
// two.
func (l limit) search(try func(int64) trial) (r result) {
	works := func(n int64) bool {
		t := try(n)
		if t.outcome != answers {
			r.fails = append(r.fails, failure{l.value(n), t.outcome})
			return false
		}
		r.heldBy = t.heldBy
		return true
	}
	low, high := int64(0), l.lowest
	for !works(high) {
		if low, high = high, high*2; high > l.most {
			return r
		}
	}
	for low > 0 && high-low > max(1, high/32) {
		if middle := (low + high) / 2; works(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	r.least = high
	return r
}
