package guard

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
)

// part gives a guard the text in chunks of a size and returns both streams.
func part(text string, chunk int) (messages, rest string) {
	var g Guard
	var out, errs bytes.Buffer
	for b := []byte(text); ; b = b[min(chunk, len(b)):] {
		g.Take(b[:min(chunk, len(b))])
		if len(b) <= chunk {
			g.End()
		}
		out.Write(g.Messages())
		errs.Write(g.Rest())
		g.Written(len(g.Messages()), len(g.Rest()))
		if len(b) <= chunk {
			return out.String(), errs.String()
		}
	}
}

var lines = []struct {
	text    string
	message bool
}{
	{`{"jsonrpc":"2.0"}`, true},
	{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":[1,-2.5e+10,0,null,true,false,"x\"\\\u00e9"]}}`, true},
	{`{"result":{"tools":[{"jsonrpc":"1.0"}]},"jsonrpc":"2.0","id":"a"}`, true},
	{"\t {\"id\" : 0.5E-1 , \"jsonrpc\" : \"2.0\" } \r", true},
	{`[{"jsonrpc":"2.0"},{"id":1,"jsonrpc":"2.0","x":[[{}]]}]`, true},
	{`{"jsonrpc":"2.0","text":"` + "größer 漢字 🙂 \u2028" + `"}`, true},
	{`{"jsonrpc":"2.0","x":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}`, true},

	{``, false},
	{`   `, false},
	{`Server running on stdio`, false},
	{`{}`, false},
	{`[]`, false},
	{`[[{"jsonrpc":"2.0"}]]`, false},
	{`[{"jsonrpc":"2.0"},{}]`, false},
	{`[{"jsonrpc":"2.0"},1]`, false},
	{`"jsonrpc"`, false},
	{`1`, false},
	{`{"jsonrpc":"1.0"}`, false},
	{`{"jsonrpc":"2.00"}`, false},
	{`{"jsonrpc":"2."}`, false},
	{`{"jsonrpc":2.0}`, false},
	{`{"jsonrpc":"2.0","jsonrpc":"1.0"}`, false},
	{`{"a":{"jsonrpc":"2.0"}}`, false},
	{`{"a":"jsonrpc","b":"2.0"}`, false},
	{`{"jsonrp":"2.0"}`, false},
	{`{"jsonrpcx":"2.0"}`, false},
	{`{"jsonrpc":"2.0"`, false},
	{`{"jsonrpc":"2.0",}`, false},
	{`{"jsonrpc":"2.0"]`, false},
	{`{"jsonrpc":"2.0"}}`, false},
	{`{"jsonrpc":"2.0"} x`, false},
	{`{"jsonrpc":"2.0"}{"jsonrpc":"2.0"}`, false},
	{`{"jsonrpc":"2.0","a":01}`, false},
	{`{"jsonrpc":"2.0","a":1.}`, false},
	{`{"jsonrpc":"2.0","a":-}`, false},
	{`{"jsonrpc":"2.0","a":1e}`, false},
	{`{"jsonrpc":"2.0","a":+1}`, false},
	{`{"jsonrpc":"2.0","a":nul}`, false},
	{`{"jsonrpc":"2.0","a":"\x"}`, false},
	{`{"jsonrpc":"2.0","a":"\u12g4"}`, false},
	{"{\"jsonrpc\":\"2.0\",\"a\":\"\x01\"}", false},
	{`{jsonrpc:"2.0"}`, false},
	{`{"jsonrpc":"2.0","x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, false},
}

// Each line alone, at every cut: with and without its end.
func TestLines(t *testing.T) {
	for _, l := range lines {
		for _, chunk := range []int{1, 2, 7, 1 << 20} {
			for _, end := range []string{"\n", ""} {
				if l.text+end == "" {
					continue
				}
				out, rest := part(l.text+end, chunk)
				want, wantRest := l.text+end, ""
				if !l.message {
					want, wantRest = "", Tag+l.text+"\n"
				}
				if out != want || rest != wantRest {
					t.Errorf("%.80q by %d: messages %.80q, rest %.80q", l.text+end, chunk, out, rest)
				}
			}
		}
	}
}

// All lines together come out each in its stream and in its order.
func TestStreams(t *testing.T) {
	var in, want, wantRest strings.Builder
	for range 20 {
		for _, i := range rand.Perm(len(lines)) {
			l := lines[i]
			in.WriteString(l.text + "\n")
			if l.message {
				want.WriteString(l.text + "\n")
			} else {
				wantRest.WriteString(Tag + l.text + "\n")
			}
		}
	}
	for _, chunk := range []int{1, 13, 4096, 65536} {
		if out, rest := part(in.String(), chunk); out != want.String() || rest != wantRest.String() {
			t.Errorf("by %d: %d bytes of messages, want %d; %d of the rest, want %d", chunk, len(out), want.Len(), len(rest), wantRest.Len())
		}
	}
}

// Nothing is held back that is known already: no line that cannot be a message, no message that is whole, and of a line
// that has no end no more than the cap.
func TestHeldBack(t *testing.T) {
	var g Guard
	g.Take([]byte(`{"jsonrpc":"2.0"}` + "\nWarn"))
	if string(g.Messages()) != `{"jsonrpc":"2.0"}`+"\n" || string(g.Rest()) != Tag+"Warn" {
		t.Errorf("messages %q, rest %q", g.Messages(), g.Rest())
	}
	g.Written(3, len(g.Rest()))
	g.Take([]byte("ing\n"))
	if string(g.Messages()) != `sonrpc":"2.0"}`+"\n" || string(g.Rest()) != "ing\n" {
		t.Errorf("messages %q, rest %q", g.Messages(), g.Rest())
	}
	g = Guard{}
	g.Take([]byte(`{"a":"`))
	long := bytes.Repeat([]byte("x"), 1<<20)
	held := 0
	for len(g.Messages()) == 0 && held < 2*Most {
		g.Take(long)
		held += len(long)
	}
	if held > Most+len(long) || len(g.Messages()) != held+6 {
		t.Errorf("%d bytes held, then %d passed", held, len(g.Messages()))
	}
	g.Written(len(g.Messages()), 0)
	g.Take([]byte("y\nnext\n"))
	if string(g.Messages()) != "y\n" || string(g.Rest()) != Tag+"next\n" {
		t.Errorf("messages %q, rest %q", g.Messages(), g.Rest())
	}
	if cap(g.out) > 256<<10 {
		t.Errorf("%d bytes are kept for nothing", cap(g.out))
	}
}

// FuzzGuard holds the scanner against encoding/json: what it calls a message is one there too, and the other way round.
func FuzzGuard(f *testing.F) {
	for _, l := range lines {
		f.Add(l.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\n\\") { // a name with an escape is the one difference that is meant
			return
		}
		out, rest := part(text+"\n", 1+len(text)/3)
		if got := out == text+"\n" && rest == ""; got != message(text) || !got && (out != "" || rest != Tag+text+"\n") {
			t.Errorf("%.200q: messages %.200q, rest %.200q", text, out, rest)
		}
	})
}

func message(text string) bool {
	if !json.Valid([]byte(text)) {
		return false
	}
	var batch []json.RawMessage
	if json.Unmarshal([]byte(text), &batch) != nil {
		return object([]byte(text))
	}
	for _, m := range batch {
		if !object(m) {
			return false
		}
	}
	return len(batch) > 0
}

// object reports whether every "jsonrpc" of an object is "2.0", and there is one.
func object(text []byte) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, _ := d.Token(); t != json.Delim('{') {
		return false
	}
	found := false
	for d.More() {
		name, _ := d.Token()
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return false
		}
		if name == "jsonrpc" {
			if string(v) != `"2.0"` {
				return false
			}
			found = true
		}
	}
	return found
}

func BenchmarkGuard(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("some text ", 100) + `"}]}}` + "\n")
	b.SetBytes(int64(len(line)))
	var g Guard
	for b.Loop() {
		g.Take(line)
		g.Written(len(g.Messages()), 0)
	}
}

// A long message leaves in pieces of a pipe's size. What stays is not moved for each.
func TestWrittenMovesLittle(t *testing.T) {
	message := []byte(`{"jsonrpc":"2.0","x":"` + strings.Repeat("x", 8<<20) + "\"}\n")
	for name, text := range map[string][]byte{"messages": message, "rest": append([]byte("no "), message...)} {
		var g Guard
		g.Take(text)
		left := g.Rest
		if name == "messages" {
			left = g.Messages
		}
		moved := 0
		for len(left()) > 0 {
			was := left()
			n := min(4096, len(was))
			if name == "messages" {
				g.Written(n, 0)
			} else {
				g.Written(0, n)
			}
			if is := left(); len(is) > 0 && &is[0] != &was[n] {
				moved += len(is)
			}
		}
		if moved > 2*len(text) {
			t.Errorf("%s: %d bytes were moved of %d", name, moved, len(text))
		}
	}
}
