package layers

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden order anew")

// The order of the rows is a promise: the table says why each stands where it stands. A new row changes the golden file,
// and whoever reads the change sees where.
func TestOrderOfRows(t *testing.T) {
	var got strings.Builder
	for where, rows := range [][]entry{initTable(new(state)), serverRows(new(state))} {
		for _, e := range rows {
			in := ""
			for i, c := range "frlbn" {
				if e.where&(1<<i) == 0 {
					c = 0x2d
				}
				in += string(c)
			}
			fmt.Fprintf(&got, "%-12s %-7s %s %s\n", e.layer, []string{"init", "server"}[where], in, rowName(e.row))
		}
	}
	const file = "testdata/order.golden"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the order is\n%s\nand was\n%s", got.String(), want)
	}
}

// Nothing follows the filter.
func TestSidesOfRows(t *testing.T) {
	all := table(new(state))
	if first, last := rowName(all[0].row), rowName(all[len(all)-1].row); first != "closeInherited" || last != "seccomp" {
		t.Errorf("the first row is %s, the last %s", first, last)
	}
}
