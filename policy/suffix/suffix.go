// Package suffix knows the names below which strangers can have a name: https://publicsuffix.org.
//
// The tables are searched where the program's file has them: nothing is made of them at the start, and what is not
// searched is not read into memory.
package suffix

import (
	_ "embed"
	"slices"
	"strings"
)

//go:generate go run ./gen

// Each table is lines in the order of their bytes. A line is a rule of the list with its labels reversed, so that the
// rules below a name stand together: "uk.co", "ck.*" for every name below ck, and "ck.!www" for the exception. Rules of
// one label are left out.
var (
	//go:embed icann.txt
	icann string
	//go:embed private.txt
	private string
)

// Public reports whether the registry of a top domain lets strangers have a name below host, as below co.uk, or below a
// name below host. host is in lower case, of two labels at least, and without a dot at the end.
func Public(host string) bool { return has(icann, host) }

// Shared reports whether a company lets strangers have a name below host, as below github.io, or below a name below
// host, as below amazonaws.com. host is as for [Public].
func Shared(host string) bool { return has(private, host) }

func has(table, host string) bool {
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	last := len(labels) - 1
	name, parent := strings.Join(labels, "."), strings.Join(labels[:last], ".")
	switch {
	case from(table, name, "\n"), from(table, name, "."):
		return true
	case from(table, parent, ".*\n"):
		return !from(table, parent, ".!"+labels[last]+"\n")
	}
	return false
}

// from reports whether a line of the table begins with name and then tail, which may hold the newline at its end.
func from(table, name, tail string) bool {
	begin := name + tail
	low, high := -1, len(table)-1 // the newlines around the lines that can be it; -1 is the table's start
	for low < high {
		start := max(low, 0)
		middle := start + strings.LastIndexByte(table[start:(low+high+1)/2], '\n')
		line := table[middle+1:]
		end := middle + 1 + strings.IndexByte(line, '\n')
		switch {
		case strings.HasPrefix(line, begin):
			return true
		case line[:min(len(begin), len(line))] < begin:
			low = end
		default:
			high = middle
		}
	}
	return false
}
