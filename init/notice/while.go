package notice

import (
	"path"
	"strconv"
)

// This file: events while a server runs, or at its end, besides the end.

// Appeared is a protected name that was not there at the start. others is how many more there are.
func Appeared(at string, others int) string {
	s := name(at, 35)
	if others > 0 {
		s += more(others)
	}
	return line(s, " appeared while the server ran: look into it before you open ", name(path.Dir(at), 35),
		" or run git there, it can run code")
}

// NotSearched is a folder of a write grant that could not be searched for protected names.
func NotSearched(folder string) string {
	return line("not all of ", name(folder, 45), " could be searched for what appeared while the server ran: "+
		"look before you open it or run git there")
}

// Unread is output without a reader.
const Unread = "nobody reads the server's output: the rest of it is lost"

// NotWritten is an error of the relay of an output.
func NotWritten(fd int, err error) string {
	return line("write what the server says on its descriptor ", strconv.Itoa(fd), ": ", err.Error())
}

// SessionOver is a server that goes on after the end of its input.
const SessionOver = "standard input was closed by the host and the server went on: it is asked to end " +
	"(onStdinClose \"ignore\" lets it live)"

// Forks is the first refused fork.
func Forks(limit int64, written string) string {
	return line("limit of ", strconv.FormatInt(limit, 10), " processes reached: the server could start no more (raise ",
		written, ")")
}

// Refused is the first refused call of a name. flag is the flag that lets the server make the call, or "".
func Refused(call, flag string) string {
	text := "the server was refused the system call " + name(call, 32)
	switch {
	case flag != "":
		return line(text, ": it may start no other program (", flag, " lets it)")
	case call == "clone":
		return line(text, " for new namespaces, which no server in a sandbox may make")
	case call == "listen":
		return line(text, ": without a network namespace no port of the server's can be reached (mcp-sandbox doctor ",
			"says what stands in the way of one)")
	case call == "connect":
		return line(text, ": the launcher may not look into the program, whose file its user cannot read")
	}
	return line(text, ", which no server in a sandbox may make")
}
