// Package mcphosts is one table of the hosts of MCP servers: where the files lie in which their users write which
// servers are started, and how an entry of such a file is written. Texts alone.
//
//	h := mcphosts.ByName("cursor")
//	h.Files[0].Paths(mcphosts.Machine{OS: "linux", Home: "/home/ann", Getenv: os.Getenv}) // ~/.cursor/mcp.json
//
// The commands wrap, unwrap and status go by the table. A test demands that a launch refuses a server each of these
// files: what starts a server outside of a sandbox is written by no server inside of one.
//
// Hosts change their files. A row is what the host's documentation said in November 2026, or its source where
// that is public.
package mcphosts

// A Host is a program that starts MCP servers.
type Host struct {
	Name    string // as a command takes the name: claude-desktop
	Title   string // as the host's maker writes the name: Claude Desktop
	Restart string // what the user does before a changed file counts
	Files   []File // where the host reads servers; at least one

	// Shell says that the host starts servers by a shell, with the variables of the entry.
	Shell bool
	// Runs says that the host itself runs what stands in the texts of an entry as $(COMMAND).
	Runs bool
}

// A File is one in which the host's user writes servers. Either Path or Project is set.
type File struct {
	// Path begins with ~/, the home, or with a name of [roots]. A part * is any folder or file, {a,b} is a or b.
	Path    string
	Windows string // if not the same there

	// Project is the path below the root of a project.
	Project string

	Form Form // how servers are written in the file
}

// A Form is how servers are written in a file.
type Form struct {
	Syntax  Syntax // the zero value is JSON
	Roots   string // where the servers lie: keys between slashes, * being any key; several are between spaces
	Named   bool   // the servers are a list, and each has a name; else they are a map by name
	Command string // the key of the command; empty: command
	Words   bool   // the command is a list, the arguments with it; else they are a list of their own, args
}

// Syntax is the language of a file.
type Syntax uint8

// The languages.
const (
	JSON  Syntax = iota // as RFC 8259 has it: the host reads no comments
	JSONC               // with comments, and commas after the last item
	TOML
	YAML
)

// String is the name of the language for people.
func (s Syntax) String() string { return [...]string{"JSON", "JSON with comments", "TOML", "YAML"}[s] }

// All are the hosts, in the order in which commands list them.
func All() []Host { return table[:] }

// ByName is nil for a name that is none of the table's.
func ByName(name string) *Host {
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	return nil
}
