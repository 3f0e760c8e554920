package notify

import (
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

func name(n uint32) string { return "call" + strconv.Itoa(int(n)) }

// What a server can have of the launcher's time and of its report, whatever it does.
func TestBounds(t *testing.T) {
	start := time.Unix(1e9, 0)
	for _, c := range []struct {
		name          string
		calls         int
		apart         time.Duration
		lines, answer int // at most, and at least one less
	}{
		{"a burst", 500, 0, 1 + linesAtOnce, 500},
		{"a flood", 10000, 0, 1 + linesAtOnce, answersAtOnce},
		{"a flood of two seconds", 20000, 100 * time.Microsecond, 1 + linesAtOnce + 2, answersAtOnce + 2*answersPerSecond},
		{"one a second", 100, time.Second, 100, 100},
		{"one a second for an hour", 3600, time.Second, 1 + linesInAll, 3600},
	} {
		var counted tally
		lines, answers := 0, 0
		for i := range c.calls {
			now := start.Add(time.Duration(i) * c.apart)
			if !counted.takeAnswer(now) {
				continue
			}
			answers++
			line := counted.takeLine(7, now)
			if line {
				lines++
			}
			counted.count(7, line)
		}
		if lines > c.lines || lines < c.lines-1 || answers > c.answer || answers < c.answer-1 || counted.dropped != int64(answers-lines) {
			t.Errorf("%s: %d lines and %d answers, want %d and %d; %d dropped", c.name, lines, answers, c.lines, c.answer, counted.dropped)
		}
		if got := counted.list(name); len(got) != 1 || got[0].Count != int64(answers) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// A flood of one call hides no other: the first of each has a line.
func TestFirstOfEach(t *testing.T) {
	var counted tally
	now := time.Now()
	for range 5000 {
		counted.count(1, counted.takeLine(1, now))
	}
	for n := range uint32(50) {
		if !counted.takeLine(100+n, now) {
			t.Errorf("%d is not told", n)
		}
		counted.count(100+n, true)
	}
	if counted.takeLine(100, now) {
		t.Error("a second one is told")
	}
}

func TestList(t *testing.T) {
	var counted tally
	for _, n := range []uint32{3, 1, 2, 1, 2, 1} {
		counted.count(n, true)
	}
	calls := counted.list(name)
	want := []order.DeniedCalls{{Syscall: "call1", Count: 3}, {Syscall: "call2", Count: 2}, {Syscall: "call3", Count: 1}}
	if !reflect.DeepEqual(calls, want) {
		t.Errorf("%v", calls)
	}
	if (&tally{}).list(name) != nil {
		t.Error("something of nothing")
	}
}
