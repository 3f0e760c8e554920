// Package matrix says which kernels are booted, what is broken in each, what must come of it, and what the output
// means.
//
//	for _, row := range matrix.Rows() { … row.Job(stage, checkout) … }
//
// It is pure: nothing here starts anything.
package matrix

import (
	"bytes"
	_ "embed" // rows.yaml
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"
)

// A Row is one machine and what must be found there.
type Row struct {
	Name     string
	Kernel   string `yaml:"-"` // a name of Kernels: what the row's begins with
	Optional bool   // it is left out, aloud, where its kernel is not served
	Missing  string // what it would take to run it at all; then it is left out, aloud, everywhere
	Append   string // to the kernel's command line
	Hybrid   bool   // the controllers are in cgroup v1
	Sysctls  map[string]string
	Mask     []string
	Suites   []Suite `yaml:"-"` // the project's tests that run there, besides the expectation
	Expect   Expectation
}

//go:embed rows.yaml
var document []byte

// A table is what the document holds.
type table struct {
	Kernels map[string]debian.Source
	Parts   any // of expectations
	Suites  map[string][]Suite
	Rows    []struct {
		Row    `yaml:",inline"`
		Suites []string // by their names
	}
}

var read = sync.OnceValue(func() *table {
	t := new(table)
	d := yaml.NewDecoder(bytes.NewReader(document))
	d.KnownFields(true)
	if err := d.Decode(t); err != nil {
		panic(err) // the document is a part of the program
	}
	return t
})

// Kernels are Debian's by the names that rows use.
func Kernels() map[string]debian.Source {
	all := map[string]debian.Source{}
	for name, source := range read().Kernels {
		source.Release = name + "."
		all[name] = source
	}
	return all
}

// Rows is the table.
func Rows() (all []Row) {
	for _, r := range read().Rows {
		row := r.Row
		row.Kernel, _, _ = strings.Cut(row.Name, "-")
		row.Expect.Kernel = row.Kernel + "."
		for _, name := range r.Suites {
			suites, ok := read().Suites[name]
			if !ok {
				panic(fmt.Sprintf("matrix: %s: no suites %q", row.Name, name))
			}
			row.Suites = append(row.Suites, suites...)
		}
		all = append(all, row)
	}
	return all
}

// Control is a row that must fail: the first one that takes no time, with an expectation edited to be wrong.
func Control() Row {
	for _, r := range Rows() {
		if r.Suites == nil && r.Expect.Confinement != "" {
			r.Name += "-expecting-wrongly"
			r.Expect.LandlockABI++
			return r
		}
	}
	panic("matrix: no row for a control")
}
