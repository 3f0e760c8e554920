package job

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// What the guest writes is what the machine reads, over a serial line too.
func TestStatusComesBack(t *testing.T) {
	var b strings.Builder
	events := json.NewEncoder(&b)
	for _, e := range []Event{{Step: "try"}, {Trouble: "two\nlines"}, {Step: "platform", Code: 137}, {Done: true}} {
		if err := events.Encode(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{b.String(), strings.ReplaceAll(b.String(), "\n", "\r\n")} {
		s, err := ParseStatus(strings.NewReader(text))
		want := map[string]int{"try": 0, "platform": 137}
		if err != nil || !maps.Equal(s.Codes, want) || !slices.Equal(s.Troubles, []string{"two\nlines"}) || !s.Done {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

func TestStatusThatIsNone(t *testing.T) {
	const done = `{"Done":true}`
	for _, text := range []string{"exit", `{"Step":1}`, `{"Step":"a"}{"Step":"a"}`, "{}", done + done, done[:5], `{"Other":1}`} {
		if s, err := ParseStatus(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %+v", text, s)
		}
	}
	if s, err := ParseStatus(strings.NewReader(`{"Step":"try"}`)); err != nil || s.Done {
		t.Errorf("a guest that was cut off: %+v, %v", s, err)
	}
}
