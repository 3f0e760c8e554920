package session

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/wire"
)

// flowOf is a session with three calls in flight: one that wants progress, one that listens, one that wants the log.
func flowOf(modern bool) (*Session, []*Call) {
	s := newSession(New(Usual(), nil, nil), nil, "ann", "1", modern)
	for i, c := range []*Call{{key: "1", token: "1", theirs: []byte(`"t"`)}, {key: "2", listens: true}, {key: "3", wantsLog: true}} {
		c.Stream, c.id = &Stream{flow: &s.flow}, []byte{'"', byte('a' + i), '"'}
		s.calls = append(s.calls, c)
	}
	return s, s.calls
}

func TestRoute(t *testing.T) {
	const sub = `"_meta":{"io.modelcontextprotocol/subscriptionId":`
	for line, want := range map[string]struct {
		call int // -1 for none
		text string
	}{
		`"method":"notifications/progress","params":{"progressToken":1}`:               {0, `"progressToken":"t"`},
		`"method":"notifications/progress","params":{"progressToken":"1"}`:             {-1, ""},
		`"method":"notifications/progress","params":{"progressToken":3}`:               {-1, ""},
		`"method":"notifications/progress","params":{}`:                                {-1, ""},
		`"method":"x","params":{` + sub + `2}}`:                                        {1, sub + `"b"`},
		`"method":"x","params":{` + sub + `1}}`:                                        {-1, ""},
		`"method":"x","params":{` + sub + `9}}`:                                        {-1, ""},
		`"method":"notifications/message"`:                                             {2, ""},
		`"method":"notifications/x"`:                                                   {-1, ""}, // of two that do not listen
		`"method":"notifications/progress","params":{"progressToken":1,` + sub + `2}}`: {-1, ""},
	} {
		s, calls := flowOf(true)
		m, err := wire.Parse([]byte(`{"jsonrpc":"2.0",` + line + `}`))
		if err != nil {
			t.Fatal(line, err)
		}
		st, text := s.modern(m)
		if want.call < 0 && st != nil || want.call >= 0 && (st != calls[want.call].Stream || !bytes.Contains(text, []byte(want.text))) {
			t.Errorf("%s went to %v as %s", line, st, text)
		}
	}
}

// What a server has written before it ended waits for a slow client as ever.
func TestLastWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &box{life: life{asked: make(chan struct{})}}
		s := newSession(New(Usual(), journal.New(io.Discard, false, slog.LevelInfo), nil), b, "ann", "1", false)
		st := s.stream()
		s.push(st, make([]byte, streamBytes), false)
		b.end("")
		go s.push(st, []byte("last"), true)
		synctest.Wait()
		if first, ended := st.Take(); len(first) != streamBytes || ended {
			t.Fatalf("%d bytes, ended %v", len(first), ended)
		}
		synctest.Wait()
		if last, ended := st.Take(); string(last) != "last" || !ended {
			t.Errorf("%q, ended %v", last, ended)
		}
	})
}

// A message waits, and with it its server, while as much waits for its client, or for all clients of the session, as may;
// a client that takes nothing for too long is cut off.
func TestRoomForMessages(t *testing.T) {
	for name, sizes := range map[string][]int{"one client": {streamBytes}, "all clients": {streamBytes - 1, streamBytes - 1, 2}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &box{life: life{asked: make(chan struct{})}}
				s := newSession(New(Usual(), journal.New(io.Discard, false, slog.LevelInfo), nil), b, "ann", "1", false)
				var all []*Stream
				for _, size := range sizes {
					all = append(all, s.stream())
					s.push(all[len(all)-1], make([]byte, size), false)
				}
				last, first := all[len(all)-1], all[0]
				waits := func(want int) {
					t.Helper()
					synctest.Wait()
					s.mu.Lock()
					defer s.mu.Unlock()
					if len(last.queue) != want {
						t.Fatalf("%d messages of the last stream wait, want %d", len(last.queue), want)
					}
				}
				go s.push(last, []byte("x"), false)
				waits(1)
				if message, ended := first.Take(); len(message) != sizes[0] || ended {
					t.Fatalf("%d bytes, ended %v", len(message), ended)
				}
				waits(map[bool]int{true: 1, false: 2}[first == last])
				s.push(first, make([]byte, streamBytes-1), false)
				go s.push(first, []byte("xx"), false)
				late, stop := context.WithTimeout(t.Context(), s.house.limits.Slow+1)
				defer stop()
				<-late.Done()
				synctest.Wait()
				if message, ended := first.Take(); message != nil || !ended {
					t.Errorf("%d bytes, ended %v of a client that takes nothing", len(message), ended)
				}
			})
		})
	}
}

// For a client without a stream the last messages wait, up to a number and a size.
func TestWaitsForAStream(t *testing.T) {
	for _, row := range []struct{ messages, size, want int }{{70, 10, waitingMost}, {70, waitingBytes / 10, 10}, {3, waitingBytes / 2, 2}, {5, 10, 5}} {
		var metrics bytes.Buffer
		j := journal.New(io.Discard, false, slog.LevelInfo)
		s := newSession(New(Usual(), j, nil), nil, "ann", "1", false)
		for i := range row.messages {
			s.wait(bytes.Repeat([]byte{byte(i)}, row.size))
		}
		first := byte(row.messages - row.want)
		j.Write(&metrics)
		if len(s.waiting) != row.want || s.waiting[0][0] != first || !bytes.Contains(metrics.Bytes(), fmt.Appendf(nil, "dropped_messages_total %d\n", first)) {
			t.Errorf("%+v: %d wait, the first is %d\n%s", row, len(s.waiting), s.waiting[0][0], metrics.String())
		}
	}
}

// No call finds a session any more that was idle for too long.
func TestIdleIsForgotten(t *testing.T) {
	b := &box{life: life{asked: make(chan struct{})}}
	h := New(Usual(), nil, nil)
	s := newSession(h, b, "ann", "1", true)
	h.modern["ann"] = &place{session: s}
	if s.endIdle(time.Now(), time.Hour, time.Hour) || h.modern["ann"] == nil {
		t.Error("it was not idle for so long")
	}
	if !s.endIdle(time.Now().Add(time.Hour), time.Minute, time.Hour) || h.modern["ann"] != nil {
		t.Error("it is still found")
	}
}

// Whatever a server writes reaches one client at most, and that one by a number of serve's own alone.
func FuzzRoute(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"_meta":{"progressToken":1}}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := wire.Parse(line)
		if err != nil || m.Kind == wire.Response {
			return
		}
		for _, modern := range []bool{false, true} {
			s, calls := flowOf(modern)
			st, text := s.legacy(m), m.Raw
			if modern {
				st, text = s.modern(m)
			}
			if st == nil {
				continue
			}
			got, err := wire.Parse(text)
			if err != nil {
				t.Fatalf("%q became %q", line, text)
			}
			token, subscription := wire.Key(m.Value(wire.Token)), wire.Key(m.Value(wire.MetaSubscription))
			method := m.String(wire.Method)
			switch {
			case method == progress && (token != "1" && modern || st != calls[0].Stream):
				t.Fatalf("%q went to another", line)
			case modern && method == progress && !bytes.Equal(got.Value(wire.Token), calls[0].theirs):
				t.Fatalf("%q became %q", line, text)
			case modern && m.Has(wire.MetaSubscription) && (subscription != "2" || st != calls[1].Stream ||
				!bytes.Equal(got.Value(wire.MetaSubscription), calls[1].id)):
				t.Fatalf("%q went to another as %q", line, text)
			}
		}
	})
}
