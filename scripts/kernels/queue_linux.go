package main

import (
	"runtime"
	"sync"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

// A queue hands out rows to workers. The first worker begins with the rows that run suites, the others with those
// that only compare, which take a few seconds and do not mind the time: so tests share the machine with others of
// their kind as little as can be.
type queue struct {
	mutex sync.Mutex
	rows  [2][]int // indices of the rows with suites, and of the others
}

func newQueue(rows []matrix.Row) *queue {
	q := &queue{}
	for i, r := range rows {
		list := &q.rows[1]
		if r.Suites != nil {
			list = &q.rows[0]
		}
		*list = append(*list, i)
	}
	return q
}

// next is the next row of a worker; false is the end.
func (q *queue) next(worker int) (row int, ok bool) {
	q.mutex.Lock()
	defer q.mutex.Unlock()
	first := min(worker, 1)
	for _, i := range []int{first, 1 - first} {
		if list := q.rows[i]; len(list) > 0 {
			q.rows[i] = list[1:]
			return list[0], true
		}
	}
	return 0, false
}

// machinesAtOnce is what two processors bear: what runs in a guest is mostly one thing after the other.
func machinesAtOnce() int { return min(2, runtime.NumCPU()) }

// each runs all rows, some at once, and returns what run made of each.
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
