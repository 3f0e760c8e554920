package pipeline

import (
	"errors"
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
	if same(r.file, r.launch.Source.File) {
		return errors.New("--report " + r.file + ": this is the policy")
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

// same reports whether two paths lead to one file.
func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
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
