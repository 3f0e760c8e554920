package main

import (
	"runtime"
	"sync"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

// A queue hands out the indices of rows to workers: of those that run suites, and of the others.
type queue [2]chan int

func newQueue(rows []matrix.Row) (q queue) {
	for i := range q {
		q[i] = make(chan int, len(rows))
		defer close(q[i])
	}
	for i, r := range rows {
		if r.Suites != nil {
			q[0] <- i
		} else {
			q[1] <- i
		}
	}
	return q
}

// of are the queue's lists in a worker's order. The first worker begins with the rows that run suites, the others with
// those that only compare, which take a few seconds and do not mind the time: so tests share the machine with others of
// their kind as little as can be.
func (q queue) of(worker int) queue {
	if worker == 0 {
		return q
	}
	return queue{q[1], q[0]}
}

// machinesAtOnce is one guest for each of two processors: a guest's work is mostly sequential.
func machinesAtOnce() int { return min(2, runtime.NumCPU()) }

// each runs all rows, some at once, and returns what run made of each.
func each(rows []matrix.Row, atOnce int, run func(*matrix.Row) matrix.Result) []matrix.Result {
	results := make([]matrix.Result, len(rows))
	q := newQueue(rows)
	var workers sync.WaitGroup
	for worker := range atOnce {
		workers.Go(func() {
			for _, list := range q.of(worker) {
				for i := range list {
					results[i] = run(&rows[i])
				}
			}
		})
	}
	workers.Wait()
	return results
}
