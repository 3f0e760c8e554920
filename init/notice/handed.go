package notice

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file: variables, paths and flags that the launch received and the server does not get.

// pathWidth is how much of a path stands in a line that names the path twice.
const pathWidth = 64

func more(n int) string { return " and " + strconv.Itoa(n) + " more" }

// Variables are variables that the program which started this one has set for the server.
func Variables(names []string) string {
	const s = "not forwarded to the server: "
	if len(names) == 1 {
		s := s + name(names[0], pathWidth) + ", which the program that started this one set"
		if flag := WholeFlag("--env", names[0]); strings.HasPrefix(flag, "--") {
			return bracketing(s, also(flag, " forwards it"))
		}
		return line(s)
	}
	var flags []string
	for _, n := range names {
		if flag := Offer("--env", n, listed-len("--env ")); strings.HasPrefix(flag, "--") {
			flags = append(flags, flag)
		}
	}
	if len(flags) == 0 {
		return line(s, list(names, ", ", 50))
	}
	return line(s, list(names, ", ", 50), " (", list(flags, " ", 74), ")")
}

// besides is how much of a path stands in a line besides a flag and the sentence. The flag stays whole as far as there
// is room: one that was shortened cannot be typed.
func besides(flag string, sentence int) int {
	return min(max(Width-sentence-utf8.RuneCountInString(flag), 24), pathWidth)
}

// noFlag stands where no flag helps.
const noFlag = "no flag shows it"

// Argument is an argument of the server that is a path which the server does not see. flag was tried; "" is none. With
// write the path can be granted for writing as well.
func Argument(path, flag string, write bool) string {
	if write {
		flag = also(flag, ", or --allow-write")
	}
	return proposing("argument "+name(path, besides(flag, 34))+" is not visible inside", cmp.Or(flag, noFlag))
}

// HomeArgument is an argument that is the home, which is a private folder inside.
func HomeArgument(path, flag string) string {
	flag = also(flag, ", or better a folder in it")
	return proposing("argument "+name(path, besides(flag, 44))+" is an empty private home inside", cmp.Or(flag, noFlag))
}

// Variable is a variable with a path as its value, which the server does not see. The value may be a secret.
func Variable(variable, flag string, write bool) string {
	if flag != "" {
		flag += " that path"
	}
	if write {
		flag += ", or --allow-write"
	}
	return line("the path in variable ", name(variable, pathWidth), " exists and is not visible inside: ",
		cmp.Or(flag, noFlag))
}

// Uncertified is a variable of certificates that names none: the text of a view's warning.
func Uncertified(text string) string { return shrunk(text) }

// AgentVariable is the variable of the socket that the policy knows by that variable.
func AgentVariable(variable, flag string) string {
	return line("the path in variable ", name(variable, pathWidth), " exists and is not visible inside: ", flag, " '$",
		name(variable, pathWidth), "'")
}

// Cwd is a working folder that the server does not see, or of which it sees only the granted parts.
func Cwd(folder, instead, flag string) string {
	if folder == instead {
		return bracketing("working folder "+name(folder, besides(flag, 62))+
			" shows the server only what is granted in it", cmp.Or(flag, noFlag))
	}
	return bracketing("working folder "+name(folder, besides(flag, 84))+
		" is not visible inside: the server starts in "+name(instead, 20), cmp.Or(flag, noFlag))
}

// Fetches is a program that fetches packages, without network. flags open its hosts.
func Fetches(program, flags string) string {
	return line(name(program, 32), " fetches packages, and the server has no network: add ", flags,
		", or install the server")
}

// FetchHangs is the refusal of a program that would try to fetch packages for a minute and more.
func FetchHangs(program, flags string) string {
	return line(name(program, 32), " would wait a minute for packages without a network: add ", flags,
		", or install the server")
}

// Protected is a protected path in a write grant.
func Protected(path string) string {
	return line(name(path, pathWidth), " is read-only: what is written there runs code outside of the sandbox")
}

// Granted is a .git, which can be granted by its name. flag was tried; "" is none.
func Granted(path, flag string) string {
	if flag == "" {
		return Protected(path)
	}
	return proposing(name(path, besides(flag, 60))+" is read-only, for its hooks run outside",
		also(flag, " lets git commit"))
}

// NotUsers is a variable that would name a folder for lasting data, and does not count.
func NotUsers(variable, what, folder string) string {
	return line(variable, " is not used: ", notItsOwn, ": ", what, " are kept below ", name(folder, pathWidth))
}

// Proxy is a proxy for the act that the first argument names, chosen perhaps by the program's caller and not the user.
// address is "" where that is not known.
func Proxy(what, variable, address string) string {
	if address != "" {
		address = " " + name(address, 60)
	}
	return line(what, " the proxy", address, " of ", name(variable, 32), ": ", notItsOwn)
}

const notItsOwn = "the process that started mcp-sandbox does not have this value"
