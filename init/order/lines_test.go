package order

import (
	"errors"
	"io/fs"
	"slices"
	"testing"
)

func TestLines(t *testing.T) {
	e := Enforced{Level: "standard", Confinement: "limits", MinConfinement: "limits", PID: 7, Warnings: []string{"a word"}, Layers: []LayerReport{
		{Layer: Limits, State: Proved, Facts: []Fact{{Name: "core", Want: "0", Got: "0"}, {Name: "rate", Want: "1", Reason: "none here", Effect: "no rate"}}},
		{Layer: Network, State: Absent, Reason: "none here", Effect: "all of it"},
	}}
	quiet := []string{"limits: no rate: none here; no rate", "network is absent: none here; all of it", "a word"}
	loud := []string{"confinement limits (at least limits was asked for), level standard, process 7", "limits is proved", quiet[0], quiet[1], quiet[2]}
	if got := e.Lines(false); !slices.Equal(got, quiet) {
		t.Errorf("%q", got)
	}
	if got := e.Lines(true); !slices.Equal(got, loud) {
		t.Errorf("%q", got)
	}
}

func TestRefusal(t *testing.T) {
	r := &Refusal{Layer: Root, Op: "open", Path: "/srv", Err: fs.ErrNotExist}
	if r.Error() != "root: open /srv: file does not exist" || !errors.Is(r, fs.ErrNotExist) {
		t.Error(r)
	}
	if r.Path = ""; r.Error() != "root: open: file does not exist" {
		t.Error(r)
	}
}
