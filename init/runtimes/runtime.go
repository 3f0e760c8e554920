package runtimes

import (
	"path"
	"strings"
)

// A Runtime is a row of the table: programs that need the same to run. Lists have spaces between their words.
type Runtime struct {
	Name       string // for people
	interprets string // programs that scripts are written for
	starts     string // programs that are of no use without starting others
	files, by  string // endings of files that are no programs, and what starts these
	hosts      string // where its programs fetch packages from unless told otherwise
	stores     string // version managers' folders; a star is one component, and all stars one installed thing
	shims      shims
	lib        string // what lies in folder lib of an installation whose programs lie in bin; X and Y are numbers
	homes      homes
}

type (
	shims []shim
	homes []Home
)

// A shim is a program that is of no use without more of what a version manager installed.
type shim struct {
	at    string // a folder with such programs; with a star they lie directly in the folder
	shows string // what they need to be seen
}

// A Home is the installation of a program that finds it by its own path.
type Home struct {
	program string // where the program lies in the installation
	Mark    string // what lies in each installation
	Shows   string // what the program needs of an installation: folders, or "." for the whole
}

// Interprets reports whether a program is one that scripts are written for. A server that wrote a script may have
// env(1) find such a one, whose installation is shown then, and none of the user's own programs, which may hold what
// is not for it.
func Interprets(name string) bool {
	for i := range table {
		if names(table[i].interprets, name) {
			return true
		}
	}
	return false
}

// Starts reports whether a program of this name is of no use without starting others.
func Starts(name string) bool {
	for i := range table {
		if names(table[i].starts, name) {
			return true
		}
	}
	return false
}

// names reports whether a program is one of a list, also with a version behind its name: python3.13, node20, java-21.
func names(list, program string) bool {
	if list == "" {
		return false
	}
	unversioned := strings.TrimRight(program, "0123456789.-")
	for word := range strings.FieldsSeq(list) {
		if word == program || word == unversioned {
			return true
		}
	}
	return false
}

// has reports whether a program is one of the row's.
func (r *Runtime) has(program string) bool {
	return names(r.interprets, program) || names(r.starts, program)
}

// Hosts are those from which a program fetches packages unless told otherwise, between spaces; "" where none is known.
func Hosts(program string) string {
	for i := range table {
		if table[i].has(program) {
			return table[i].hosts
		}
	}
	return ""
}

// Starter is what starts a file of that name, which is no program by itself; "" for others.
func Starter(file string) string {
	ending := path.Ext(file)
	for i := range table {
		for word := range strings.FieldsSeq(table[i].files) {
			if word == ending {
				return table[i].by
			}
		}
	}
	return ""
}
