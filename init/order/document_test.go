package order

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
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

// Each field of the other records is in docs/stdio.md.
func TestDocumentedFields(t *testing.T) {
	text, err := os.ReadFile("../../docs/stdio.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## What a report says\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, record := range []any{Enforced{}, Refused{}, Exited{}, LayerReport{}, Fact{}, Notice{}} {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(record)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "-" && !strings.Contains(section, "`"+name+"`") {
				t.Errorf("%T: %s is not there", record, name)
			}
		}
	}
	for _, cause := range []Cause{CauseExit, CauseSignal, CauseTimeout, CauseCPU, CauseOOM, CauseStdinClosed, CauseHostGone, CauseCancelled,
		CauseSupervisorLost, CausePolicyLost} {
		if !strings.Contains(section, "`"+string(cause)+"`") {
			t.Errorf("%s is not there", cause)
		}
	}
}
