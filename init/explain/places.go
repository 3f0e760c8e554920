package explain

import (
	_ "embed"
	"iter"
	"strings"
)

// A place is a folder or file of the machine.
type place struct {
	path        string
	read, write Verdict // of all of it
	holds       string
}

// places are the folders outside of homes.
var places = [...]place{
	{"/etc", Wide, Dangerous, "the settings of this machine"},
	{"/usr", Safe, Dangerous, "the programs of this machine"},
	{"/bin", Safe, Dangerous, "the programs of this machine"},
	{"/sbin", Safe, Dangerous, "the programs of this machine"},
	{"/lib", Safe, Dangerous, "the libraries of this machine"},
	{"/lib64", Safe, Dangerous, "the libraries of this machine"},
	{"/nix", Safe, Dangerous, "the programs of this machine"},
	{"/boot", Note, Dangerous, "the kernel of this machine"},
	{"/opt", Note, Wide, "programs"},
	{"/var", Wide, Dangerous, "logs, mail, databases, and what cron starts"},
	{"/var/run/secrets", Dangerous, Dangerous, "secrets of this container"},
	{"/run/secrets", Dangerous, Dangerous, "secrets of this container"},
	{"/run/user", Wide, Wide, "files and keys of running sessions"},
	{"/run", Wide, Wide, "files and keys of running services"},
	{"/tmp", Wide, Wide, "what all programs of this machine put aside"},
	{"/mnt", Wide, Wide, "other disks"},
	{"/media", Wide, Wide, "other disks"},
	{"/Applications", Note, Dangerous, "the programs of this machine"},
	{"/Library", Wide, Dangerous, "the settings of this machine"},
	{"/System", Safe, Dangerous, "the programs of this machine"},
	{"/private", Wide, Dangerous, "the settings of this machine, and what all programs put aside"},
	{"/Volumes", Wide, Wide, "other disks"},
}

// homes are the folders of homes. Some systems have theirs in /var/home, to which /home is a link.
var homes = [...]string{"/home", "/Users", "/var/home"}

//go:embed starts.txt
var startTable string

// starts are the paths below a home with files that start by themselves, or by a name that a user types.
func starts() iter.Seq2[string, string] { return table(startTable) }

// table are the lines of a text, divided at the tab.
func table(text string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for line := range strings.SplitSeq(text, "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			if name, what, _ := strings.Cut(line, "\t"); !yield(name, what) {
				return
			}
		}
	}
}

// hasPrograms reports whether a path is or lies in a folder of programs.
func hasPrograms(at string) bool { return hasPart(at, "bin", "sbin") }
