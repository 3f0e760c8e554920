// Package reportpage reads the report of a launch from its file, for people and for programs.
//
//	r, err := reportpage.File("report.jsonl")
//	r.Show(page.Printer{W: os.Stdout})
//
// A file may hold anything: a report that was cut off, one that a stranger wrote, or no report at all. Size, time and
// the number of lines that are shown have bounds. A file in which several launches wrote their reports one after the
// other stands for the last of them.
package reportpage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"path"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// The bounds. A launch writes at most 256 denied records; the rest is counted in the last line.
const (
	maxFile   = 8 << 20
	maxTime   = 5 * time.Second
	maxDenied = 256
	version   = 1
)

// ErrNoReport is the error of a file whose first line is no first line of a report.
var ErrNoReport = errors.New("this is no report: one begins with an \"enforced\" or a \"refused\" record, " +
	"as run --report FILE writes it")

// A Reading is one launch as its report has it.
type Reading struct {
	Enforced *order.Enforced `json:"enforced"`          // nil where the launch was refused
	Refused  *order.Refused  `json:"refused,omitempty"` // nil where it was not
	Denied   []order.Denied  `json:"denied"`
	Exited   *order.Exited   `json:"exited"` // nil while the server runs, and where the file was cut off

	earlier int // launches before this one
	foreign int // lines that are no records
	more    int // denied records beyond the bound
}

// Foreign is how many lines are no records of the launch.
func (r *Reading) Foreign() int { return r.foreign }

// File reads the report in a file.
func File(name string) (*Reading, error) {
	text, _, err := platform.ReadDocumentFile(name, maxFile, maxTime)
	if errors.Is(err, platform.ErrTooLong) {
		err = errors.New("more than " + strconv.Itoa(maxFile>>20) + " MiB, which no report has")
	}
	if err != nil {
		return nil, err
	}
	return parse(text)
}

func parse(text []byte) (*Reading, error) {
	var r *Reading
	for line := range bytes.Lines(text) {
		switch next := begin(line); {
		case next == nil && r == nil:
			return nil, ErrNoReport
		case next == nil:
			r.take(line)
		default:
			if r != nil {
				next.earlier = r.earlier + 1
			}
			r = next
		}
	}
	if r == nil {
		return nil, ErrNoReport
	}
	if r.Enforced != nil && r.Enforced.Version != version {
		return nil, errors.New("this report has version " + strconv.Itoa(r.Enforced.Version) +
			", and this program reads version " + strconv.Itoa(version))
	}
	return r, nil
}

// begin reads the first record of a launch; nil for another line.
func begin(line []byte) *Reading {
	switch event(line) {
	case "enforced":
		if e := new(order.Enforced); json.Unmarshal(line, e) == nil {
			return &Reading{Enforced: e, Denied: []order.Denied{}}
		}
	case "refused":
		if refused := new(order.Refused); json.Unmarshal(line, refused) == nil && refused.Error != "" {
			return &Reading{Refused: refused, Denied: []order.Denied{}}
		}
	}
	return nil
}

// take reads a later record of a launch. Nothing follows the last one, and nothing a refusal.
func (r *Reading) take(line []byte) {
	over := r.Exited != nil || r.Refused != nil
	switch event(line) {
	case "denied":
		var d order.Denied
		if json.Unmarshal(line, &d) != nil || over {
			break
		}
		d.Flag = flag(&d.Act, d.Flag, d.Errno)
		if len(r.Denied) == maxDenied {
			r.more++
		} else {
			r.Denied = append(r.Denied, d)
		}
		return
	case "exited":
		x := new(order.Exited)
		if json.Unmarshal(line, x) != nil || over || x.ID != r.Enforced.ID {
			break
		}
		r.Exited = x
		r.count()
		return
	}
	r.foreign++
}

// count gives the counts of the last line their flags, which a count or its record has.
func (r *Reading) count() {
	flags := map[order.Act]string{}
	for i := range r.Denied {
		flags[r.Denied[i].Act] = r.Denied[i].Flag
	}
	for i := range r.Exited.Denied {
		d := &r.Exited.Denied[i]
		d.Flag = cmp.Or(flag(&d.Act, d.Flag, d.Errno), flags[d.Act])
	}
}

// flag is the flag of a refusal, if that is the one which a launch suggests for the very act. A stranger's report would
// have people open another host or folder than the one that was refused.
func flag(a *order.Act, written, errno string) string {
	suggested := a.Suggest()
	switch {
	case len(a.Path) < 2 || a.Path != path.Clean(a.Path) || !path.IsAbs(a.Path):
	case a.Kind == order.DeniedOpen && errno == "EROFS":
		suggested = "--allow-write " + text.Shell(a.Path)
	case a.Kind == order.DeniedOpen, a.Kind == order.DeniedExec:
		suggested = "--allow-read " + text.Shell(a.Path)
	case a.Kind == order.DeniedUnix:
		suggested = "--allow-unix-socket " + text.Shell(a.Path)
	}
	if written != suggested {
		return ""
	}
	return suggested
}

// event is the kind of a record; "" for a line that is none.
func event(line []byte) string {
	var head struct{ Event string }
	if json.Unmarshal(line, &head) != nil {
		return ""
	}
	return head.Event
}
