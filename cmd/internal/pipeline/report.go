package pipeline

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/init/keep/reports"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// A Report is where the report of a launch goes.
type Report struct {
	Keep bool // where no flag says where, among the reports that are kept for why

	file   string // of --report; "" for none
	launch *launchflags.Launch
	stderr *cli.Stderr
}

func (r *Report) set(s string) error {
	if s == "-" {
		return errors.New("- would be standard error, by which the server could forge the report: name a file")
	}
	return launchflags.Once(&r.file)(s)
}

// Open opens the file of --report, or looks at the descriptor of --report-fd. The launch's ReportFD is then the
// descriptor, or -1.
func (r *Report) Open() error {
	if r.file != "" && r.launch.ReportFD >= 0 {
		r.file = ""
		return errors.New("--report and --report-fd: only one of them")
	}
	if r.file == "" {
		return r.launch.CheckReport()
	}
	if foreign(r.file) {
		return errors.New("--report " + r.file + ": it is there, and is no report: name another file")
	}
	var err error
	if r.launch.ReportFD, err = platform.CreateReport(r.file); err != nil {
		return errors.New("--report " + r.file + ": " + cli.Cause(err) + reportAdvice(err))
	}
	return nil
}

// reportAdvice is what to do about a report that cannot be created.
func reportAdvice(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return " (make its folder first)"
	}
	return ""
}

// foreign reports whether a file has something else than a report, which would be gone: a policy, variables, a script.
func foreign(file string) bool {
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	for _, own := range [...]*os.File{os.Stdin, os.Stdout, os.Stderr} { // refused for that
		if is, err := own.Stat(); err == nil && os.SameFile(info, is) {
			return false
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := []byte(`{"event":"`)
	is := make([]byte, len(begin))
	n, _ := io.ReadFull(f, is)
	return !bytes.HasPrefix(begin, is[:n]) // of a report that was cut off a part
}

// reach ends the program where a file system does not answer at which the program is about to look.
func (r *Report) reach(o *order.Order, words []string) {
	reexec.Reach(o, words, r.file, func() int {
		if r.launch.ReportFD < 0 {
			r.Open()
		}
		return r.launch.ReportFD
	})
}

// Refuse says why nothing is launched, and writes it to the report if there is one.
func (r *Report) Refuse(lines ...string) int {
	if r.isKept() {
		return reexec.RefuseKept(lines)
	}
	return reexec.Refuse(r.launch.ReportFD, lines)
}

// isKept reports whether the report of the launch is kept for why.
func (r *Report) isKept() bool {
	return r.Keep && r.file == "" && r.launch.ReportFD < 0 && reports.Prepare()
}

// to lets an order have its report: run opened it, and a plan, which opens none, names the file alone.
func (r *Report) to(o *order.Order) {
	if o.Keep = r.isKept(); o.Keep {
		r.stderr.Kept(cli.StatesVariable)
	}
	switch {
	case !r.Keep && r.file != "":
		o.ReportFile, _ = filepath.Abs(r.file)
	case r.Keep && r.launch.ReportFD >= 0:
		o.ReportFD, o.ReportFile = r.launch.ReportFD, platform.FileOf(r.launch.ReportFD)
	}
}
