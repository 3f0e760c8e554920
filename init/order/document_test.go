package order

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The records in docs/network.md are records: each is read and written again as it stands, but for the breaks.
func TestDocumentedRecords(t *testing.T) {
	text, err := os.ReadFile("../../docs/network.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[DeniedKind]bool{}
	for i, block := range strings.Split(string(text), "\n```json\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		d := json.NewDecoder(strings.NewReader(block))
		d.DisallowUnknownFields()
		var written []byte
		for d.More() {
			var r Record = &Denied{}
			if i == 1 {
				r = &Exited{}
			}
			if err := d.Decode(r); err != nil {
				t.Fatal(err)
			}
			written = r.AppendJSON(written)
			if denied, ok := r.(*Denied); ok {
				kinds[denied.Kind] = true
			}
		}
		var want bytes.Buffer
		for line := range strings.Lines(block) {
			if !strings.HasPrefix(line, "{") { // goes on
				want.Truncate(max(want.Len()-1, 0))
			}
			want.WriteString(strings.TrimLeft(line, " "))
		}
		if !bytes.Equal(written, want.Bytes()) {
			t.Errorf("docs/network.md has\n%s\nwritten is\n%s", want.Bytes(), written)
		}
	}
	if len(kinds) < 6 {
		t.Errorf("only the kinds %v", kinds)
	}
}
