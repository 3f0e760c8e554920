package order

import (
	"errors"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Guide is how a person wrote a launch, for the lines on standard error.
type Guide struct {
	Named   []Named  // limits that the policy or a flag names
	Notices []Notice // those of mcp-sandbox run itself; the shim adds its own
	Opens   []string // wide and dangerous entries of the policy, for the report's warnings
	Places  []Place  // of paths that refusals name: lines on standard error have these, reports the policy's own words
}

// A Place is where a person wrote a value of the policy.
type Place struct {
	Key, Value string // "filesystem.allowRead", "/srv"
	Text       string // "--allow-read /srv"
}

// Place returns the text of the place of a value, or "". key may be without its section.
func (g *Guide) Place(key, value string) string {
	for _, p := range g.Places {
		if p.Value == value && (p.Key == key || strings.HasSuffix(p.Key, "."+key)) {
			return p.Text
		}
	}
	return ""
}

// Line returns the text of an error, which names a value of the policy by its place.
func (g *Guide) Line(err error) string {
	line := err.Error()
	if r, ok := errors.AsType[*Refusal](err); ok && r.Layer == Policy {
		rest, begins := strings.CutPrefix(line, r.Error())
		if text := g.Place(r.Op, r.Path); text != "" && begins {
			return text + ": " + r.Err.Error() + rest
		}
	}
	return line
}

// A Named limit is a limit that is no level's default.
type Named struct {
	Key     string // of the policy: "limits.memory"
	Written string // as a person wrote the key: a flag, or the key
}

// NameOf is the name that a person gave a limit, or "" for a level's default.
func (g *Guide) NameOf(key string) string {
	for _, n := range g.Named {
		if n.Key == key {
			return n.Written
		}
	}
	return ""
}

// NoticeKind is the subject of a notice.
type NoticeKind string

// The subjects that a report names.
const (
	NoticeEnv       NoticeKind = "env"       // a variable that is not forwarded
	NoticeArgument  NoticeKind = "argument"  // a path that the server does not see
	NoticeCwd       NoticeKind = "cwd"       // a working folder that the server does not see
	NoticeNetwork   NoticeKind = "network"   // a program that fetches, without network
	NoticeProtected NoticeKind = "protected" // a path that is read-only in a write grant
	NoticeProfile   NoticeKind = "profile"   // a grant that a profile would have made, and did not
)

// Subjects that a report has under another name: see [NoticeKind.Reported].
const (
	NoticeProxy     NoticeKind = "proxy"     // a proxy that an entry chose
	NoticeDaemon    NoticeKind = "daemon"    // a socket whose program does everything for the server
	NoticeReference NoticeKind = "reference" // a variable with a reference as its value, not replaced
	NoticeLost      NoticeKind = "lost"      // a path to make in the home that does not last
	NoticeSingle    NoticeKind = "single"    // a file that is granted for writing by itself
	NoticeHeld      NoticeKind = "held"      // a write grant with folders that could not be searched
	NoticeApart     NoticeKind = "apart"     // write grants between which nothing can be renamed
	NoticeLinks     NoticeKind = "links"     // a grant with links that lead out of it
	NoticeBehind    NoticeKind = "behind"    // a flag of this program behind the command; for the end alone
	NoticeUnset     NoticeKind = "unset"     // a variable to forward that is not set; for the end alone
)

// Reported is the kind as a report names it.
func (k NoticeKind) Reported() NoticeKind {
	switch k {
	case NoticeProxy, NoticeDaemon:
		return NoticeNetwork
	case NoticeReference, NoticeUnset:
		return NoticeEnv
	case NoticeLost, NoticeLinks, NoticeBehind:
		return NoticeArgument
	case NoticeSingle, NoticeHeld, NoticeApart:
		return NoticeProtected
	}
	return k
}

// A Notice is a thing that the launch took from the server though it was handed over, with the flag that gives it; or
// one that the user may not have chosen, without a flag.
type Notice struct {
	Kind NoticeKind `json:"kind"`
	Name string     `json:"name"`
	Flag string     `json:"flag"`
	Line string     `json:"-"` // for standard error; "" where another notice's line has it too
}

// namedLimits are the limits that a policy names before it has its level's defaults.
func namedLimits(p *policy.Policy) (named []Named) {
	l := &p.Limits
	for _, limit := range [...]struct {
		key  string
		most int64
	}{{"limits.cpu", int64(l.CPU)}, {"limits.memory", int64(l.Memory)},
		{"limits.addressSpace", int64(l.AddressSpace)}, {"limits.pids", int64(l.Pids)},
		{"limits.openFiles", int64(l.OpenFiles)}, {"limits.fileSize", int64(l.FileSize)},
		{"limits.io", int64(l.IO)}, {"limits.timeout", int64(l.Timeout)}, {"limits.grace", int64(l.Grace)},
		{"filesystem.tmpSize", int64(p.Filesystem.TmpSize)}} {
		if limit.most != 0 && limit.most != policy.Unlimited {
			named = append(named, Named{limit.key, limit.key})
		}
	}
	return named
}

// appendGuide appends each text of a guide.
func appendGuide(b []byte, g *Guide) []byte {
	var list []string
	for _, n := range g.Named {
		list = append(list, n.Key, n.Written)
	}
	b, list = appendList(b, list), nil
	for _, n := range g.Notices {
		list = append(list, string(n.Kind), n.Name, n.Flag, n.Line)
	}
	b, list = appendList(appendList(b, list), g.Opens), nil
	for _, p := range g.Places {
		list = append(list, p.Key, p.Value, p.Text)
	}
	return appendList(b, list)
}

// guide reads the bytes of appendGuide.
func (d *decoder) guide() (g Guide) {
	named, notices := d.list(), d.list()
	if len(named)%2 != 0 || len(notices)%4 != 0 {
		d.bad = true
		return g
	}
	for ; len(named) > 0; named = named[2:] {
		g.Named = append(g.Named, Named{named[0], named[1]})
	}
	g.Opens = d.list()
	places := d.list()
	if len(places)%3 != 0 {
		d.bad = true
		return g
	}
	for ; len(places) > 0; places = places[3:] {
		g.Places = append(g.Places, Place{places[0], places[1], places[2]})
	}
	for ; len(notices) > 0; notices = notices[4:] {
		g.Notices = append(g.Notices, Notice{NoticeKind(notices[0]), notices[1], notices[2], notices[3]})
	}
	return g
}
