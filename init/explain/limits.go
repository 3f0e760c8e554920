package explain

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A limit is one key of the section limits.
type limit struct {
	key         string
	given, held string  // the value as written, and with defaults; "" for none, or "unlimited"
	none        Verdict // that of the word unlimited
	text        string  // with % for the value
	unlimited   string  // the meaning of the word
}

const unlimited = "unlimited"

func limitsOf(given, held *policy.Limits) []limit {
	return []limit{
		{"cpu", cores(given.CPU), cores(held.CPU), Note, "can use % cores at most",
			"no limit on processor time"},
		{"memory", size(given.Memory), size(held.Memory), Wide, "can use % of memory at most",
			"no limit on memory: can leave none for other programs"},
		{"addressSpace", size(given.AddressSpace), size(held.AddressSpace), Safe,
			"has % of address space in each process, which breaks Node, Java and Go", "no limit on address space"},
		{"pids", given.Pids.String(), held.Pids.String(), Wide, "can have % processes and threads at most",
			"no limit on processes: can start as many as the machine bears"},
		{"openFiles", given.OpenFiles.String(), held.OpenFiles.String(), Note,
			"can have % files open in each process at most", "no limit on open files"},
		{"fileSize", size(given.FileSize), size(held.FileSize), Safe, "can write files of % at most",
			"no limit on the size of files"},
		{"io", size(given.IO), size(held.IO), Safe, "can read and write % a second of a disk at most",
			"no limit on the rate of disks"},
		{"timeout", given.Timeout.String(), held.Timeout.String(), Safe, "is ended after %", "is ended after no time"},
		{"grace", given.Grace.String(), held.Grace.String(), Safe, "has % to end by itself before it is killed", ""},
	}
}

// tellLimits tells of each limit that is named, and of all others in one line.
func tellLimits(t *teller) {
	var held, none []string
	for _, l := range limitsOf(&t.given.Limits, &t.p.Limits) {
		pointer := "/limits/" + l.key
		switch {
		case l.given == unlimited:
			t.say(l.none, pointer, l.unlimited)
		case l.given != "":
			t.say(Safe, pointer, strings.Replace(l.text, "%", l.given, 1))
		case l.held == unlimited && l.none == Wide: // in level privileged
			t.byDefault(false, l.none, pointer, l.unlimited)
		case l.held != unlimited && l.held != "":
			held = append(held, l.key+" ("+l.held+")")
		case l.unlimited != "":
			none = append(none, l.key)
		}
	}
	rest := strings.Join(none, ", ")
	switch {
	case len(held) > 0 && rest != "":
		t.byDefault(false, Safe, "/limits", "has limits on "+strings.Join(held, ", ")+"; none on "+rest)
	case len(held) > 0:
		t.byDefault(false, Safe, "/limits", "has limits on "+strings.Join(held, ", "))
	case rest != "":
		t.byDefault(false, Safe, "/limits", "has no limit on "+rest)
	}
}

// size is a quantity with its unit, "" for none.
func size(q policy.Quantity) string {
	text := q.String()
	if text != "" && text[len(text)-1] >= '0' && text[len(text)-1] <= '9' {
		text += " bytes"
	}
	return text
}

// cores is a rate in cores, "" for none.
func cores(c policy.CPU) string {
	milli, limited := c.Value()
	if !limited {
		return c.String()
	}
	return strconv.FormatFloat(float64(milli)/1000, 'f', -1, 64)
}

func tellTmpSize(t *teller) {
	q := t.given.Filesystem.TmpSize
	switch {
	case q == 0:
	case t.open():
		t.noEffect("/filesystem/tmpSize")
	default:
		t.say(Safe, "/filesystem/tmpSize", "can put "+size(q)+" at most into its own home and /tmp together")
	}
}
