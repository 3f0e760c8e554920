package main

// A kind is how a thing of the machine comes to the server; its name is a class of the drawing.
type kind string

const (
	write   kind = "write"   // as it is
	read    kind = "read"    // without the right to change it
	private kind = "private" // another one in its place
	gone    kind = "gone"    // not at all
)

// A row is one thing of the machine, and that thing as the server sees it.
type row struct {
	machine string
	kind    kind
	server  string
}

// command is the launch that the picture is of.
const command = "mcp-sandbox run --allow-write ~/project --env NOTION_TOKEN -- node server.js"

// A group is the rows below one title.
type group struct {
	title string
	rows  []row
}

func groups() []group {
	return []group{
		{"Files", []row{
			{"~/project", write, "read and written: granted"},
			{"~/project/.git", read, "read only: hooks run code on your machine"},
			{"/usr  /lib  certificates  node", read, "read only"},
			{"~  /tmp", private, "empty ones instead, thrown away at the end"},
			{"~/.ssh  ~/.aws  ~/Documents", gone, "do not exist"},
		}},
		{"Variables", []row{
			{"NOTION_TOKEN", read, "passed on: named by --env"},
			{"PATH  HOME  LANG", read, "passed on to every server"},
			{"AWS_SECRET_ACCESS_KEY", gone, "not set"},
		}},
		{"Network", []row{
			{"internet  localhost", gone, "no address can be reached"},
		}},
		{"Processes", []row{
			{"browser  shell  other servers", gone, "not to be seen, and not to be signalled"},
			{"memory  processes  open files", read, "as much as the limits leave"},
		}},
	}
}
