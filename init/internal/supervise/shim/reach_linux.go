package shim

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/answers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/protected"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/report"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/signals"
	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// reachTimeout is how long a launch waits for the file systems at which it looks.
const reachTimeout = 30 * time.Second

// looks collects the paths of a launch.
type looks struct {
	all []answers.Look
	dir string // of relative ones
}

func (l *looks) add(below bool, paths ...string) {
	for _, p := range paths {
		if p == "" {
			continue
		}
		if p[0] != '/' {
			p = l.dir + "/" + p
		}
		l.all = append(l.all, answers.Look{Path: p, Below: below})
	}
}

// words adds the paths that words of a command line, or variables, may name.
func (l *looks) words(words []string) {
	for _, w := range words {
		if _, value, is := strings.Cut(w, "="); is {
			w = value
		}
		for part := range strings.SplitSeq(w, ":") {
			if rest, is := strings.CutPrefix(part, "~/"); is {
				part = os.Getenv("HOME") + "/" + rest
			}
			l.add(false, part)
		}
	}
}

// homes adds homes and, where something may be written, the paths that a launch looks for in them.
func (l *looks) homes(names bool, homes ...string) {
	below := protected.Own()
	if names {
		below = slices.AppendSeq(append(below, protected.Anywhere()...), protected.AtHome())
	}
	slices.Sort(homes)
	for _, home := range slices.Compact(homes) {
		if home == "" {
			continue
		}
		l.all = append(l.all, answers.Look{Path: home, Home: names})
		for _, name := range below {
			l.add(true, home+"/"+name)
		}
	}
}

// ownHomes are the homes of this user.
func ownHomes() []string {
	b, _ := platform.ReadSmall("/etc/passwd", 4<<20) // a user without an entry there has HOME alone
	return append(platform.HomesOf(string(b), unix.Getuid()), os.Getenv("HOME"))
}

// looksAround are the paths at which a program looks before it has a policy: its folder, the homes, this product's
// folders, and paths in the words of its command line.
func looksAround(words []string) *looks {
	l := &looks{}
	l.dir, _ = unix.Getwd() // os.Getwd looks there
	l.add(false, l.dir, os.Getenv("TMPDIR"))
	for _, variable := range [...]string{"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		if base := os.Getenv(variable); base != "" {
			l.add(true, base+"/"+places.Name)
		}
	}
	l.homes(false, ownHomes()...)
	l.words(words)
	return l
}

// looksOf are the paths at which the launch of an order looks.
func looksOf(o *order.Order, p *policy.Policy) []answers.Look {
	l := looksAround(nil)
	l.dir = o.Dir
	f := &p.Filesystem
	for _, at := range slices.Concat(f.AllowRead, f.AllowWrite, f.DenyRead, f.DenyWrite) {
		l.add(true, strings.TrimPrefix(at, "-"))
	}
	l.add(false, o.Dir, p.Cwd, o.PolicyFile, o.ReportFile, o.Launcher)
	l.add(false, slices.Concat(o.EnvFiles, p.Network.AllowUnixSockets)...)
	l.homes(len(f.AllowWrite) > 0, append(ownHomes(), order.Lookup(o.Env, "HOME"))...)
	l.words(o.Command[1:])
	for _, v := range o.Env {
		if _, value, _ := strings.Cut(v, "="); strings.HasPrefix(value, "/") && !strings.HasPrefix(v, "PATH=") {
			l.words([]string{value})
		}
	}
	if strings.Contains(o.Command[0], "/") {
		l.add(false, o.Command[0])
		return l.all
	}
	for folder := range strings.SplitSeq(order.Lookup(o.Env, "PATH"), ":") {
		if strings.HasPrefix(folder, "/") {
			l.all = append(l.all, answers.Look{Path: folder + "/" + o.Command[0], First: true})
		}
	}
	return l.all
}

// table is the table of mounts of a process that is a shim or becomes one; a Go host lives longer, and reads it anew.
var table = sync.OnceValue(answers.Mounts)

// ask is an error where a file system does not answer at which the launch of an order is about to look.
func ask(mounts []platform.Mount, o *order.Order, p *policy.Policy, w answers.Wait) error {
	if mounts == nil {
		return nil
	}
	return locked(mounts, looksOf(o, p), w)
}

// locked is answers.Ask in a thread that is locked.
func locked(mounts []platform.Mount, looks []answers.Look, w answers.Wait) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return answers.Ask(mounts, looks, w)
}

func reach(s *shim) error {
	if s.Reached {
		return nil
	}
	return ask(table(), s.Order, &s.policy, answers.Wait{
		Timeout: cmp.Or(s.Hooks.Timeout, reachTimeout), FDs: s.interrupts(), Check: s.interrupted})
}

// Reach is the same for a program that is no shim yet: before it has an order, which is nil then, or with one. A signal
// that asks for the end is an error, too.
func Reach(o *order.Order, words []string) (err error) {
	if table() == nil {
		return nil
	}
	looks := looksAround(words).all
	if o != nil {
		p, err := policy.ParseCanonical(o.Policy)
		if err != nil {
			return nil // the launch says so
		}
		looks = looksOf(o, &p)
	}
	_ = signals.During(func(asks int) {
		err = locked(table(), looks, answers.Wait{Timeout: reachTimeout,
			FDs: []unix.PollFd{{Fd: int32(asks), Events: unix.POLLIN}},
			Check: func([]unix.PollFd) error {
				if sig := signals.Next(asks); ending.Asks(sig) {
					return report.Signalled{Signal: sig}
				}
				return nil
			}})
	}, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	return err
}

// RefuseReach says the error of Reach, also in the report, if the file of that answers, and returns the exit code.
func RefuseReach(err error, reportFile string, reportFD func() int, say func(string)) int {
	s := report.Sink{Report: -1, Host: -1}
	l := &looks{}
	l.dir, _ = unix.Getwd()
	l.add(false, reportFile)
	if locked(table(), l.all, answers.Wait{Timeout: time.Second}) == nil {
		s.Report = reportFD()
	}
	o := &order.Order{Flags: order.Flags{Guided: true}}
	line, code := s.Refuse(o, err, refused(o, err))
	say(line)
	return code
}
