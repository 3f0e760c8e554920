package tally

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

func act(n int) order.Act {
	return order.Act{Kind: order.DeniedSyscall, Syscall: "call" + strconv.Itoa(n)}
}

// What a server can have of a report, whatever it does.
func TestBounds(t *testing.T) {
	start := time.Unix(1e9, 0)
	for _, c := range []struct {
		name  string
		calls int
		apart time.Duration
		acts  int
		lines int // at most, and at least one less
	}{
		{"a burst of one act", 500, 0, 1, 1 + LinesAtOnce},
		{"a flood of two seconds", 20000, 100 * time.Microsecond, 1, 1 + LinesAtOnce + 2},
		{"one a second", 100, time.Second, 1, 100},
		{"one a second for an hour", 3600, time.Second, 1, 1 + LinesInAll},
		{"a burst of acts", 10000, 0, 10000, ActsAtOnce + LinesAtOnce},
		{"acts for an hour", 3600, time.Second, 3600, 256},
	} {
		told := 0
		var counted Tally
		for i := range c.calls {
			line := counted.TakeLine(act(i%c.acts), start.Add(time.Duration(i)*c.apart))
			if line {
				told++
			}
			counted.Count(&order.Denied{Act: act(i % c.acts)}, line)
		}
		if told > c.lines || told < c.lines-1 || counted.Dropped != int64(c.calls-told) {
			t.Errorf("%s: %d lines, want %d; %d dropped", c.name, told, c.lines, counted.Dropped)
		}
		if n, listed := len(counted.counts), len(counted.List()); n != min(c.acts, mostActs) || listed < min(n, 200) {
			t.Errorf("%s: %d acts are told apart, %d listed", c.name, n, listed)
		}
	}
}

// A flood of one act hides no other: the first of each has a line.
func TestFirstOfEach(t *testing.T) {
	var counted Tally
	now := time.Now()
	for range 5000 {
		counted.Count(&order.Denied{Act: act(0)}, counted.TakeLine(act(0), now))
	}
	for n := 1; n < ActsAtOnce; n++ {
		if !counted.TakeLine(act(n), now) {
			t.Errorf("%d is not told", n)
		}
		counted.Count(&order.Denied{Act: act(n)}, true)
	}
	if counted.TakeLine(act(1), now) {
		t.Error("a second one is told")
	}
}

// An act of the network is reported the first time, and counted each time.
func TestRefuse(t *testing.T) {
	told := 0
	counted := Tally{Report: func(*order.Denied) { told++ }}
	for i := range 300 {
		counted.Refuse(&order.Denied{Act: act(i % 3)}, time.Now())
	}
	if told != 3 || counted.Dropped != 0 || len(counted.List()) != 3 || counted.List()[0].Count != 100 {
		t.Errorf("%d told, %d dropped, %v", told, counted.Dropped, counted.List())
	}
}

func TestList(t *testing.T) {
	var counted Tally
	for _, n := range []int{3, 1, 2, 1, 2, 1} {
		counted.Count(&order.Denied{Act: act(n)}, true)
	}
	want := []order.DeniedCount{{Act: act(1), Count: 3}, {Act: act(2), Count: 2}, {Act: act(3), Count: 1}}
	if got := counted.List(); !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	if (&Tally{}).List() != nil {
		t.Error("something of nothing")
	}
}

// Whichever text of an act is long, the list has room for few of these.
func TestListBytes(t *testing.T) {
	long := func(n int) string { return strings.Repeat("x", 1000) + strconv.Itoa(n) }
	for name, denied := range map[string]func(text string) order.Denied{
		"host":  func(text string) order.Denied { return order.Denied{Act: order.Act{Host: text}} },
		"asked": func(text string) order.Denied { return order.Denied{Act: order.Act{Asked: text}} },
		"path":  func(text string) order.Denied { return order.Denied{Act: order.Act{Path: text}} },
		"flag":  func(text string) order.Denied { return order.Denied{Act: order.Act{Syscall: text[1000:]}, Flag: text} },
		"errno": func(text string) order.Denied { return order.Denied{Act: order.Act{Syscall: text[1000:]}, Errno: text} },
	} {
		var counted Tally
		for n := range 100 {
			d := denied(long(n))
			counted.Count(&d, true)
		}
		if n := len(counted.List()); n < ListBytes/1200 || n > ListBytes/1000 {
			t.Errorf("%s: %d are listed", name, n)
		}
	}
}

// A bucket gives its size at once, and then one each interval, however long it waited.
func TestBucket(t *testing.T) {
	var b Bucket
	now := time.Unix(1e9, 0)
	for _, at := range []time.Time{now, now.Add(time.Hour)} {
		taken := 0
		for i := range 100 {
			if b.Take(at.Add(time.Duration(i)*100*time.Millisecond), time.Second, 5) {
				taken++
			}
		}
		if taken < 14 || taken > 15 {
			t.Errorf("%d taken in 10 s, want 5 and one a second", taken)
		}
	}
}

// An act whose one call was interrupted was not refused.
func TestUncount(t *testing.T) {
	var counted Tally
	twice, once := &order.Denied{Act: act(1)}, &order.Denied{Act: act(2)}
	counted.Count(twice, false)
	counted.Count(twice, true)
	counted.Count(once, false)
	counted.Uncount(twice, false)
	counted.Uncount(once, false)
	if list := counted.List(); len(list) != 1 || list[0].Act != act(1) || list[0].Count != 1 || counted.Dropped != 0 {
		t.Errorf("%v, %d without a line", list, counted.Dropped)
	}
}
