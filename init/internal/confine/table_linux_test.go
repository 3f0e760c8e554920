package confine

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
	for _, e := range table(new(state)) {
		where := map[side]string{inInit: "init", inServer: "server"}[e.side]
		in := ""
		for i, c := range "frlbn" {
			if e.where&(1<<i) == 0 {
				c = 0x2d
			}
			in += string(c)
		}
		fmt.Fprintf(&got, "%-12s %-7s %s %s\n", e.layer, where, in, strings.TrimPrefix(fmt.Sprintf("%T", e.row), "*confine."))
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

// Each process's rows stand together, and nothing follows the filter.
func TestSidesOfRows(t *testing.T) {
	all := table(new(state))
	for i, e := range all[1:] {
		if all[i].side == inServer && e.side == inInit {
			t.Errorf("%T of init follows a row of the server's process", e.row)
		}
	}
	if _, ok := all[len(all)-1].row.(*seccomp); !ok {
		t.Errorf("the last row is %T", all[len(all)-1].row)
	}
	if _, ok := all[0].row.(*closeInherited); !ok {
		t.Errorf("the first row is %T", all[0].row)
	}
}
