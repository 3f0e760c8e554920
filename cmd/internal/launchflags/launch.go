package launchflags

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Launch is the part of either program's command line about the launch.
type Launch struct {
	Source   Source
	ReportFD int       // -1 for none
	Settings []Setting // in the order given
}

// A Setting is a flag of one of the policy's keys. The flag is applied after the document, which the flag overrides.
type Setting struct{ Flag, Key, Value string }

// A Flag is one that both programs have. Set takes its value, once.
type Flag struct {
	Name string
	Set  func(string) error
}

// NewLaunch is that of a command line without flags.
func NewLaunch() Launch { return Launch{Source: Source{FD: -1}, ReportFD: -1} }

// Flags are the flags of the policy's source and of the report.
func (l *Launch) Flags() [3]Flag {
	return [...]Flag{
		{"policy", l.Source.setFile},
		{"policy-fd", descriptor(&l.Source.FD)},
		{"report-fd", descriptor(&l.ReportFD)},
	}
}

// ErrTwice is the error of a flag that may be given once.
var ErrTwice = errors.New("is given twice")

// Once takes the value of a flag that may be given once.
func Once(at *string) func(string) error {
	return func(s string) error {
		if *at != "" {
			return ErrTwice
		}
		*at = s
		return nil
	}
}

func descriptor(at *int) func(string) error {
	return func(s string) (err error) {
		if *at >= 0 {
			return ErrTwice
		}
		*at, err = Descriptor(s)
		return err
	}
}

// Check is the error of contradicting flags.
func (l *Launch) Check() error {
	switch {
	case l.Source.File != "" && l.Source.FD >= 0:
		return errors.New("--policy and --policy-fd: only one of them")
	case l.Source.FD >= 0 && l.Source.FD == l.ReportFD:
		return errors.New("--policy-fd and --report-fd are the same descriptor")
	}
	return nil
}

// CheckReport is the error of the report's descriptor, which then is -1.
func (l *Launch) CheckReport() error {
	fd := l.ReportFD
	if fd < 0 {
		return nil
	}
	err := platform.ReportFD(fd)
	if err != nil {
		err = errors.New("--report-fd " + strconv.Itoa(fd) + ": " + err.Error())
		l.ReportFD = -1
	}
	return err
}

// Policy is the document's, with the settings over it, or what is wrong, one thing a line. Paths of settings
// are still relative.
func (l *Launch) Policy(dir, home string) (policy.Policy, []string) {
	p, err := l.Source.Read(dir, home)
	if err == nil {
		err = l.Source.Weaken(p, l.Given("level"), l.Given("minConfinement"))
	}
	if err != nil {
		return p, l.Source.Lines(err, nil)
	}
	values := map[string][]string{} // of a key all at once, for each Set copies a list
	for _, s := range l.Settings {
		values[s.Key] = append(values[s.Key], s.Value)
	}
	for _, s := range l.Settings {
		if err := p.Set(s.Key, values[s.Key]...); err != nil {
			return p, []string{s.Flag + ": " + err.Error()}
		}
		delete(values, s.Key)
	}
	return p, nil
}

// A Here is where a launch begins.
type Here struct {
	Dir, Home  string
	Env        []string
	PolicyFile string
	gone       error // the working folder is not there: relative paths start where it was, and lead to nothing
}

// Here looks where the launch begins, before the document is read.
func (l *Launch) Here() (*Here, error) {
	dir, gone := Folder()
	if gone != nil {
		if dir = os.Getenv("PWD"); !filepath.IsAbs(dir) {
			dir = "/proc/self/cwd"
		}
	}
	env := os.Environ()
	return &Here{Dir: dir, Home: order.Home(env), Env: env, PolicyFile: l.Source.Path(dir), gone: gone}, nil
}

// Settle fills in a policy of [Launch.Policy].
func (l *Launch) Settle(p policy.Policy, program policy.Program, h *Here) (*order.Settled, []string) {
	if h.gone != nil && p.Cwd == "" { // the server would start in it
		return nil, []string{h.gone.Error()}
	}
	s, err := order.Settle(p, program, h.Env, h.Dir)
	if err != nil {
		return nil, l.Source.Lines(err, l.FlagOf)
	}
	for i := range s.Named {
		s.Named[i].Written = cmp.Or(l.FlagOf(s.Named[i].Key), s.Named[i].Key)
	}
	return s, nil
}

// Order makes the order of a command, without a report.
func (h *Here) Order(s *order.Settled, command []string) *order.Order {
	o := s.Order(command, h.Env, h.Dir)
	o.PolicyFile = h.PolicyFile
	o.Launcher, _ = os.Executable()
	return o
}

// Given is the last value of a key's flag, or "".
func (l *Launch) Given(key string) (value string) {
	for _, s := range l.Settings {
		if s.Key == key {
			value = s.Value
		}
	}
	return value
}

// FlagOf names the flag that gave a key its value, or is "".
func (l *Launch) FlagOf(key string) string {
	for _, s := range l.Settings {
		if s.Key == key {
			return s.Flag
		}
	}
	return ""
}
