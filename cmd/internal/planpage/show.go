package planpage

import (
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// maxSeen is how many paths of a kind the page lists; the JSON has all of them.
const maxSeen = 25

// Show prints the page.
func (v *Preview) Show(p page.Printer) {
	p.Sections([]page.Section{
		{Title: "Start", Lines: v.start()},
		{Title: "Files", Lines: v.files()},
		{Title: "Variables", Lines: v.environment()},
		{Title: "Network", Lines: v.reach()},
		{Title: "Limits", Lines: v.bounds()},
		{Title: "What follows on this machine", Lines: texts(v.remains)},
		{Title: "Warnings", Lines: texts(v.Warnings)},
	})
}

func texts(list []string) (lines [][]page.Cell) {
	for _, text := range list {
		lines = append(lines, []page.Cell{{Text: text}})
	}
	return lines
}

func pair(label, text string, style page.Style) []page.Cell {
	return []page.Cell{{Text: label}, {Text: text, Style: style}}
}

func (v *Preview) start() [][]page.Cell {
	lines := [][]page.Cell{pair("command", v.File, page.Plain)}
	if len(v.Command) > 1 {
		lines = append(lines, pair("arguments", strings.Join(v.Command[1:], " "), page.Plain))
	}
	folder, style := v.Cwd, page.Plain
	if v.unseen != "" {
		folder += ", for " + v.unseen + " is not visible: --allow-read or --allow-write it, or --cwd another folder"
		style = page.Yellow
	}
	lines = append(lines, pair("folder", folder, style))
	if v.User != "" {
		lines = append(lines, pair("user", v.User, page.Plain))
	}
	if !v.several {
		lines = append(lines, pair("programs", "the command alone: it can start no other program", page.Plain))
	}
	style = page.Green
	if v.Confinement != string(policy.Full) {
		style = page.Yellow
	}
	tried := v.Confinement + ", tried just now without the command"
	if v.least != policy.None {
		tried += "; run refuses less than " + string(v.least)
	}
	return append(lines, pair("level", string(v.Level), page.Plain), pair("confinement", tried, style))
}

// modes are those of the page, in its order.
var modes = [...]struct {
	mode  order.Mode
	style page.Style
}{{order.CanWrite, page.Yellow}, {order.CanRead, page.Green}, {order.Connects, page.Yellow}, {order.Hidden, page.Red}}

// files are the paths that differ from server to server, one a line, and what all servers see.
func (v *Preview) files() (lines [][]page.Cell) {
	for _, m := range modes {
		n := 0
		for _, s := range v.Sees {
			if s.Mode != m.mode || s.Why == order.WhyAlways && s.Mode == order.CanRead {
				continue
			}
			if n++; n <= maxSeen {
				lines = append(lines, []page.Cell{{Text: string(m.mode), Style: m.style}, {Text: s.Path},
					{Text: reason(s)}})
			}
		}
		if n > maxSeen {
			lines = append(lines, []page.Cell{{}, {Text: "and " + strconv.Itoa(n-maxSeen) + " more, which --json has"}})
		}
	}
	if private := v.paths(order.Private); len(private) > 0 {
		lines = append(lines, pair("private", strings.Join(private, " ")+": "+v.thrownAway(), page.Plain))
	}
	if always := v.always(); len(always) > 0 {
		lines = append(lines, pair("always", strings.Join(always, " "), page.Plain))
	}
	if others := v.others(); others != "" {
		lines = append(lines, pair("else", others, page.Plain))
	}
	return lines
}

// others is what becomes of all other files; "" where a root is visible, and so all of them are.
func (v *Preview) others() string {
	switch {
	case slices.ContainsFunc(v.Sees, isRoot):
		return ""
	case v.Confinement == string(policy.Full):
		return "nothing: no other file or folder exists for the server"
	}
	return "nothing: no other file can be opened"
}

// isRoot reports whether a path is a root of files, of Windows too.
func isRoot(s order.Seen) bool {
	return s.Path == "/" || s.Mode == order.CanWrite && s.Why == order.WhyAlways
}

// reason says in words why a path has its mode.
func reason(s order.Seen) string {
	switch s.Why {
	case order.WhyGranted:
		return "granted"
	case order.WhyDenied:
		return "denied"
	case order.WhyImplied:
		return "the command needs it"
	case order.WhyCertificates:
		return "the certificates of it alone: a variable names it"
	case order.WhyProtected:
		return "protected: read-only, since your other programs execute or trust it"
	case order.WhySocket:
		return "a socket or pipe of another program"
	case order.WhyState:
		return "the server's home, kept for its next launch"
	case order.WhyPackage:
		return "the package of this launch"
	case order.WhyStage:
		return "the package is installed there"
	case order.WhyAlways:
		if s.Mode == order.Hidden {
			return "hidden from every server"
		}
		return "every file that you can: nothing is held back"
	}
	return string(s.Why)
}

func (v *Preview) paths(mode order.Mode) (list []string) {
	for _, s := range v.Sees {
		if s.Mode == mode {
			list = append(list, s.Path)
		}
	}
	return list
}

func (v *Preview) thrownAway() string {
	text := "empty, and thrown away at the end"
	if v.tmpSize > 0 {
		text += "; at most " + policy.Quantity(v.tmpSize).String() + " together"
	}
	return text
}

// always are the paths that every server sees, those of one folder together.
func (v *Preview) always() (list []string) {
	below := map[string]int{}
	for _, s := range v.Sees {
		if s.Why != order.WhyAlways || s.Mode != order.CanRead && s.Mode != order.Generated {
			continue
		}
		folder, _, deep := strings.Cut(s.Path[1:], "/")
		if !deep {
			list = append(list, s.Path)
		} else {
			below["/"+folder]++
		}
	}
	for folder, n := range below {
		list = append(list, folder+" (in part: "+strconv.Itoa(n)+")")
	}
	slices.Sort(list)
	return list
}

func (v *Preview) environment() (lines [][]page.Cell) {
	for _, s := range []struct {
		state State
		more  string
	}{{Forwarded, ""}, {Set, ""}, {Dropped, " (--env NAME forwards one)"}} {
		var names []string
		for _, x := range v.Variables {
			if x.State == s.state {
				names = append(names, x.Name)
			}
		}
		if len(names) > 0 {
			lines = append(lines, pair(string(s.state), strings.Join(names, " ")+s.more, page.Plain))
		}
	}
	return lines
}

// bounds are the limits, in the policy's order.
func (v *Preview) bounds() (lines [][]page.Cell) {
	var none []string
	for _, a := range asked(new(policy.Limits)) {
		l, is := v.Limits[a.key]
		if !is {
			none = append(none, string(a.key))
			continue
		}
		lines = append(lines, []page.Cell{{Text: string(a.key)}, {Text: l.Value}, l.cell(a.key)})
	}
	if len(none) > 0 {
		lines = append(lines, []page.Cell{{Text: "no limit"}, {}, {Text: strings.Join(none, " ")}})
	}
	return lines
}

// cell says for which processes a limit holds.
func (l *Limit) cell(key Key) page.Cell {
	switch {
	case l.Holds == Nobody:
		return page.Cell{Text: "does not hold here: " + l.Why + " (mcp-sandbox doctor says more)", Style: page.Red}
	case l.Holds == Together && key == "timeout":
		return page.Cell{Text: "then the server is ended"}
	case l.Holds == Together:
		return page.Cell{Text: "all processes together"}
	case l.Why != "":
		return page.Cell{Text: "each process, not all together: " + l.Why + " (mcp-sandbox doctor says more)",
			Style: page.Yellow}
	}
	return page.Cell{Text: "each process"}
}
