package main

import (
	"runtime"
	"slices"
	"sync"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

// A queue hands out rows to workers. One begins with those that run suites, the others with those that only compare,
// which take a few seconds and do not mind the time: so tests share the machine with others of their kind as little
// as can be.
type queue struct {
	mutex        sync.Mutex
	heavy, light []int // indices of rows
}

func newQueue(rows []matrix.Row) *queue {
	q := &queue{}
	for i, r := range rows {
		if r.Suites != nil {
			q.heavy = append(q.heavy, i)
		} else {
			q.light = append(q.light, i)
		}
	}
	return q
}

// next is the next row of a worker; false is the end.
func (q *queue) next(worker int) (row int, ok bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	for _, list := range q.of(worker) {
		if len(*list) > 0 {
			row, *list = (*list)[0], (*list)[1:]
			return row, true
		}
	}
	return 0, false
}

func (q *queue) of(worker int) []*[]int {
	lists := []*[]int{&q.heavy, &q.light}
	if worker > 0 {
		slices.Reverse(lists)
	}
	return lists
}

// machinesAtOnce is what two processors bear: a guest has two as well, and what runs there is mostly one thing after
// the other.
func machinesAtOnce() int { return min(2, runtime.NumCPU()) }

// each runs all rows, some at once, and returns what it made of each.
func each(rows []matrix.Row, atOnce int, run func(*matrix.Row) matrix.Result) []matrix.Result {
	results := make([]matrix.Result, len(rows))
	q := newQueue(rows)
	var workers sync.WaitGroup
	for worker := range atOnce {
		workers.Go(func() {
			for i, ok := q.next(worker); ok; i, ok = q.next(worker) {
				results[i] = run(&rows[i])
			}
		})
	}
	workers.Wait()
	return results
}
