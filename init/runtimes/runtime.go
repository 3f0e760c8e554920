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
	files, by  string // endings of files that are no programs, and the programs that start these
	hosts      string // where its programs fetch packages from by default
	stores     string // version managers' folders; a star is one component, and all stars one installed thing
	shims      shims
	lib        string // the content of folder lib of an installation with programs in bin; X and Y are numbers
	homes      homes
}

type (
	shims []shim
	homes []Home
)

// A shim is a program that is of no use without other parts of a version manager's installation.
type shim struct {
	at    string // a folder with such programs; with a star they lie directly in the folder
	shows string // the folders that they need
}

// A Home is the installation of a program that finds it by its own path.
type Home struct {
	program string // where the program lies in the installation
	Mark    string // a path that is in each installation
	Shows   string // the parts of an installation that the program needs: folders, or "." for the whole
}

// Interprets reports whether scripts are written for a program. A server that wrote a script may have env(1) find such
// a program. That program's installation is shown then, and none of the user's own programs, which may hold data that
// is not for the server.
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

// Hosts are those from which a program fetches packages by default, between spaces; "" where none is known.
func Hosts(program string) string {
	for i := range table {
		if table[i].has(program) {
			return table[i].hosts
		}
	}
	return ""
}

// Starter is the program that starts a file of that name, which is no program by itself; "" for others.
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
