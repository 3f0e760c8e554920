package main

import (
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

// Every row runs once, and is told in its place.
func TestEach(t *testing.T) {
	rows := matrix.Rows()
	for _, atOnce := range []int{1, 2, 100} {
		var mutex sync.Mutex
		ran := map[string]int{}
		results := each(rows, atOnce, func(r *matrix.Row) matrix.Result {
			mutex.Lock()
			defer mutex.Unlock()
			ran[r.Name]++
			return matrix.Result{Row: r.Name}
		})
		for i := range rows {
			if results[i].Row != rows[i].Name || ran[rows[i].Name] != 1 {
				t.Errorf("%d at once: %s ran %d times, and in its place is %q", atOnce, rows[i].Name, ran[rows[i].Name], results[i].Row)
			}
		}
	}
}

func TestQueue(t *testing.T) {
	rows := []matrix.Row{{Name: "a", Suites: []matrix.Suite{{}}}, {Name: "b"}, {Name: "c", Suites: []matrix.Suite{{}}}, {Name: "d"}, {Name: "e"}}
	for _, c := range []struct {
		workers []int
		order   string
	}{{[]int{0}, "a c b d e"}, {[]int{1}, "b d e a c"}, {[]int{0, 1}, "a b c d e"}} {
		q := newQueue(rows)
		var order []string
		for n := range rows {
			lists := q.of(c.workers[n%len(c.workers)])
			i, ok := <-lists[0]
			if !ok {
				i = <-lists[1]
			}
			order = append(order, rows[i].Name)
		}
		if got := strings.Join(order, " "); got != c.order {
			t.Errorf("%v: %s, want %s", c.workers, got, c.order)
		}
		for _, list := range q {
			if i, ok := <-list; ok {
				t.Errorf("%v: row %d after the end", c.workers, i)
			}
		}
	}
}
