package notice

import (
	"path"
	"strconv"
	"strings"
)

// This file: grants that give less, or more, than they read.

// ownFolder is the advice where no folder can be granted that holds nothing else.
const ownFolder = "put it into a folder of its own, and --allow-write that"

// writeFlag is the advice to grant a folder for writing; folder is "" where that one is not to be granted.
func writeFlag(folder string) string {
	if folder == "" {
		return ownFolder
	}
	return WholeFlag("--allow-write", folder)
}

// subject is an argument or a variable at the beginning of a line; a long path is shortened.
func subject(what string, width int) string {
	const argument = "argument "
	if at, ok := strings.CutPrefix(what, argument); ok {
		return argument + name(at, width-len(argument))
	}
	return name(what, max(width, 70))
}

// Unmade is a path that is not there, of an argument or a variable: the server does not see the folder around it.
func Unmade(what, folder string) string {
	return proposing(subject(what, 60)+" is not there yet, and its folder is not visible inside", writeFlag(folder))
}

// UnmadeVariable is Unmade for a variable, which may hold a secret.
func UnmadeVariable(what string) string {
	return line(subject(what, 80), " is not there yet, and its folder is not visible inside: --allow-write that folder")
}

// UnmadeInStrict is Unmade of a launch that writes nothing.
func UnmadeInStrict(what string) string {
	return line(subject(what, 60), " is not there yet, and level strict writes nothing: take --level standard")
}

// NoScript is the script of a command, which is not there: no grant makes one.
func NoScript(at string) string {
	return line(subject("argument "+at, 80), " does not exist: write the script's whole path, as it is on this machine")
}

// Passing is a path that is not there, of an argument or a variable: it would be made in the home that does not last.
func Passing(what string, strict bool) string {
	text := subject(what, 60) + " would be made in the private home, which is thrown away: --state NAME keeps it"
	if strict {
		return line(text)
	}
	return line(text, ", or make a folder for it and --allow-write that")
}

// Single is a file that is granted for writing by itself; folder is the one around it, "" if that is not to be granted.
func Single(file, folder string) string {
	return proposing("single file "+name(path.Base(file), 24)+": no rename can replace it, and what is made beside it "+
		"is lost or refused", writeFlag(folder))
}

// Held are folders of a write grant that are read-only; first is one of them. fits reports whether a grant of its own
// opens it.
func Held(n int, grant, first, why string, fits bool) string {
	s := strconv.Itoa(n) + " folders of " + name(grant, 22) + " are read-only: "
	if n == 1 {
		s = "a folder of " + name(grant, 22) + " is read-only: "
	}
	if fits {
		return bracketing(s+why, WholeFlag("--allow-write", first))
	}
	return line(s, why, ", as for ", name(first, 40))
}

// WholeGrant is a write grant, as the user wrote that, of which nothing can be written.
func WholeGrant(written, why string) string {
	return line(written, " is read-only as a whole: ", why, " (grant folders in it)")
}

// InStrict are the write grants of level strict: the first as the user wrote that, and how many more there are.
func InStrict(written string, others int) string {
	if others > 0 {
		return line(written, more(others), " are read-only: level strict writes nothing (take --level standard)")
	}
	return line(written, " is read-only: level strict writes nothing (take --level standard)")
}

// Apart are two write grants between which a server moves files. above is the folder above both, "" if that is not to
// be granted.
func Apart(one, other, above string) string {
	text := "files cannot be renamed from " + name(one, 24) + " to " + name(other, 24) +
		", for two grants are two mounts"
	if above == "" {
		return line(text, ": put both into one folder, and --allow-write that")
	}
	return proposing(text, WholeFlag("--allow-write", above))
}

// LinksOut is a link of a grant to a path that the server does not see; others is how many more there are.
func LinksOut(link, to string, others int) string {
	text := name(link, 50)
	if others > 0 {
		text += more(others)
	}
	return proposing(text+" leads out of its grant, to what is not visible inside", WholeFlag("--allow-read", to))
}

// Daemon is a socket, as the user wrote that, of a program that acts for whoever connects.
func Daemon(written, program string) string {
	return line(written, ": the server gets the rights of ", program, ", which are not confined")
}

// Reference is a variable with a reference that was not replaced by the value that it names.
func Reference(variable, form string) string {
	text := "variable " + name(variable, pathWidth) + ": the server gets " + form + " as it is"
	if strings.HasPrefix(form, "~") {
		return line(text, ", for no shell reads it: write the whole path")
	}
	return line(text, ": no shell and no client put a value there")
}
