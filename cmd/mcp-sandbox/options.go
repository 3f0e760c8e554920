package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/init/keep/reports"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/spf13/pflag"
)

// options are the values of one command's flags.
type options struct {
	set   *pflag.FlagSet
	lines []line // of the help
	help  bool

	launchflags.Launch
	flags   order.Flags
	program policy.Program
	reporting
	backend backend
	results

	words
	envFiles
	packages
}

// A reporting is where the report of a launch goes.
type reporting struct {
	report string // file or ""
	keeps  bool   // where no flag says where, among the reports that are kept for why
}

// results are what a command that starts no server is to print.
type results struct {
	json     bool
	calls    bool           // of plan
	man      bool           // of help
	question order.Question // of why
	wrap     wrapFlags      // of wrap, unwrap and status
}

// words are what is read of a command line besides its flags.
type words struct {
	takesCommand bool     // behind the flags there is a server's command
	bare         bool     // no "--" stands in front of that
	notes        []string // lines for standard error on what does not mean what it looks like
	said         []string // variables of which a line was said
}

// A line of the help: a flag, or a heading where there is no name. Some are of one system alone, as runtime.GOOS names
// it.
type line struct{ name, value, text, only string }

// here reports whether this system has the flag.
func (l *line) here() bool { return l.only == "" || l.only == runtime.GOOS }

func newOptions() *options {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	o := &options{set: set, Launch: launchflags.NewLaunch(), program: policy.Run}
	o.set.Usage = func() {}
	o.set.SetOutput(io.Discard)
	return o
}

func (o *options) heading(text string) { o.lines = append(o.lines, line{text: text}) }

// truth sets a switch's value.
func truth(at *bool) func(string) error {
	return func(s string) (err error) {
		if *at, err = strconv.ParseBool(s); err != nil {
			err = errors.New(strconv.Quote(s) + " is neither true nor false")
		}
		return err
	}
}

// add defines a flag. always is what a switch without "=" means; "" for a flag that needs a value.
func (o *options) add(name, meta, text, always string, take func(string) error) {
	o.set.Func(name, "", func(s string) error {
		if s == "" {
			return errors.New("needs a value")
		}
		return take(s)
	})
	o.set.Lookup(name).NoOptDefVal = always
	o.lines = append(o.lines, line{name: name, value: meta, text: text})
}

// addOnly defines a flag that one system has. On every other the manual page alone tells of it.
func addOnly(o *options, system string, l line, always string, take func(string) error) {
	if l.only = system; l.here() && l.name != "" {
		o.add(l.name, l.value, l.text, always, take)
		o.lines = o.lines[:len(o.lines)-1]
	}
	o.lines = append(o.lines, l)
}

// addPolicy defines the flags of all keys.
func (o *options) addPolicy() {
	for _, f := range policyFlags() {
		if f.name == "" {
			o.heading(f.text)
			continue
		}
		o.addFlag(&f)
	}
}

// alone is the value of a switch that takes none.
const alone = "\x00"

// addFlag defines the flag of one key, and behind --env that of a file of variables. A bad value is refused before the
// document is read.
func (o *options) addFlag(f *policyFlag) {
	always := ""
	if f.value == "" {
		always = "true"
	}
	if f.always != "" {
		always = alone
	}
	o.add(f.name, f.value, f.text, always, func(s string) error {
		switch {
		case f.always != "" && s != alone:
			return errors.New("takes no value" + valued(f.key))
		case f.always != "":
			s = f.always
		}
		o.Settings = append(o.Settings, launchflags.Setting{Flag: "--" + f.name, Key: f.key, Value: s})
		return new(policy.Policy).Set(f.key, s)
	})
	if f.name == "env" {
		o.add("env-file", "FILE", "set the variables of a file of lines NAME=VALUE", "", expanded(o.read))
	}
}

// valued is what to write in place of a switch that takes no value, where the key has another that does.
func valued(key string) string {
	for _, f := range policyFlags() {
		if f.key == key && f.always == "" {
			return ": write --" + f.name + "=true or --" + f.name + "=false"
		}
	}
	return ""
}

func (o *options) reportFile(s string) error {
	if s == "-" {
		return errors.New("- would be standard error, by which the server could forge the report: name a file")
	}
	return launchflags.Once(&o.report)(s)
}

// openReport opens the file of --report, or looks at the descriptor of --report-fd. ReportFD is then the
// descriptor, or -1.
func (o *options) openReport() error {
	if o.report != "" && o.ReportFD >= 0 {
		o.report = ""
		return errors.New("--report and --report-fd: only one of them")
	}
	if o.report == "" {
		return o.CheckReport()
	}
	if same(o.report, o.Source.File) {
		return errors.New("--report " + o.report + ": this is the policy")
	}
	var err error
	if o.ReportFD, err = platform.CreateReport(o.report); err != nil {
		return errors.New("--report " + o.report + ": " + cause(err) + reportAdvice(err))
	}
	return nil
}

// reach ends the program where a file system does not answer at which the program is about to look.
func reach(o *options, ord *order.Order, words []string) {
	reexec.Reach(ord, words, o.report, func() int {
		if o.ReportFD < 0 {
			o.openReport()
		}
		return o.ReportFD
	})
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

// cause is an error without the path, which the message has already.
func cause(err error) string {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// refuse says why nothing is launched, and writes it to the report if there is one.
func (o *options) refuse(lines ...string) int {
	if o.isKept(o.ReportFD) {
		return reexec.RefuseKept(lines)
	}
	return reexec.Refuse(o.ReportFD, lines)
}

// isKept reports whether the report of a launch with this --report-fd is kept for why.
func (r *reporting) isKept(fd int) bool {
	return r.keeps && r.report == "" && fd < 0 && reports.Prepare()
}
