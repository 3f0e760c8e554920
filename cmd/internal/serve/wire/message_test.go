package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]struct {
		kind Kind
		err  error
	}{
		`{"jsonrpc":"2.0","id":1,"method":"m"}`:                            {Request, nil},
		` { "jsonrpc" : "2.0" , "method" : "m" , "params" : [ ] } ` + "\r": {Notification, nil},
		`{"jsonrpc":"2.0","id":"a","result":null}`:                         {Response, nil},
		`{"jsonrpc":"2.0","id":-1,"error":{"code":-7,"message":""}}`:       {Response, nil},
		`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`:                {Response, nil},
		`{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-7}}`:       {Response, nil},
		`[]`: {0, ErrBatch}, `1`: {0, ErrInvalid}, ``: {0, ErrNotJSON}, `{`: {0, ErrNotJSON}, `{}`: {0, ErrInvalid},
		`{"jsonrpc":"1.0","method":"m"}`: {0, ErrInvalid}, `{"jsonrpc":"2.0","method":1}`: {0, ErrInvalid},
		`{"jsonrpc":"2.0","id":1}`: {0, ErrInvalid}, `{"jsonrpc":"2.0","id":1,"result":1,"error":1}`: {0, ErrInvalid},
		`{"jsonrpc":"2.0","id":1.0,"method":"m"}`: {0, ErrID}, `{"jsonrpc":"2.0","id":1e3,"method":"m"}`: {0, ErrID},
		`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1023) + `","method":"m"}`: {0, ErrID},
		`{"jsonrpc":"2.0","id":true,"method":"m"}`:                                {0, ErrID}, `{"jsonrpc":"2.0","id":null,"result":1}`: {0, ErrID},
		`{"jsonrpc":"2.0","ID":1,"method":"m"}`:                       {0, ErrTwice},
		`{"jsonrpc":"2.0","method":"m","params":{"\u006eame":1}}`:     {Notification, nil},
		`{"jsonrpc":"2.0","method":"m","params":{"name":1,"NAME":1}}`: {0, ErrTwice},
	} {
		m, err := Parse([]byte(text))
		if !errors.Is(err, want.err) || err == nil && m.Kind != want.kind {
			t.Errorf("%s: %v %v", text, m, err)
		}
	}
}

func TestWith(t *testing.T) {
	const text = `{"x":[1e400,{"id":3}],"jsonrpc":"2.0","params":{"_meta":{"progressToken":"t\u0041"},"n":1.50},"id":"a","method":"m"}`
	m, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if Key(m.Value(MetaToken)) != `"tA` || Key([]byte(`"tA"`)) != `"tA` || Key([]byte("1")) == Key([]byte(`"1"`)) {
		t.Errorf("%q", Key(m.Value(MetaToken)))
	}
	got := string(m.With(Change{ID, []byte("7")}, Change{MetaToken, []byte("8")}, Change{Token, []byte("9")}))
	if want := strings.Replace(strings.Replace(text, `"a"`, "7", 1), `"t\u0041"`, "8", 1); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A member whose own name has dots is not a member of an object in the message.
func TestDots(t *testing.T) {
	m, err := Parse([]byte(`{"jsonrpc":"2.0","method":"m","params.name":"a","params":{"_meta.progressToken":1,"name":"b"},` +
		`"params._meta":{"io.modelcontextprotocol/protocolVersion":"x"}}`))
	if err != nil || m.String(Name) != "b" || m.Has(MetaToken) || m.Has(MetaVersion) {
		t.Errorf("%v %+v", err, m)
	}
}

// A message that is read is one line. With its id replaced, and put back, it is as it was; and every other member is what it
// was meanwhile.
func FuzzWith(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":"a\u0062","method":"m","params":{"_meta":{"progressToken":1},"x":[{"id":1}]}}`))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\r\n\"id\":1,\"result\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":1}}}"))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"m","":"\\\"}","params":["{"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse(bytes.Clone(text))
		if err != nil {
			return
		}
		if bytes.ContainsAny(m.Raw, "\r\n") || !json.Valid(m.Raw) {
			t.Fatalf("%q", m.Raw)
		}
		var before, after map[string]any
		if json.Unmarshal(m.Raw, &before) != nil {
			return // numbers that Go has no room for
		}
		changed := m.With(Change{ID, []byte("7")}, Change{MetaToken, []byte(`"t"`)})
		again, err := Parse(bytes.Clone(changed))
		if err != nil || again.Kind != m.Kind || again.String(Method) != m.String(Method) {
			t.Fatalf("%q became %q: %v", m.Raw, changed, err)
		}
		back := again.With(Change{ID, m.Value(ID)}, Change{MetaToken, m.Value(MetaToken)})
		if !bytes.Equal(back, m.Raw) {
			t.Fatalf("%q came back as %q", m.Raw, back)
		}
		if json.Unmarshal(changed, &after) != nil {
			t.Fatalf("%q", changed)
		}
		delete(before, "id")
		delete(after, "id")
		if !m.Has(MetaToken) && !reflect.DeepEqual(before, after) {
			t.Fatalf("%q became %q", m.Raw, changed)
		}
	})
}
