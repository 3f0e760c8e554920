package files

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A Launch is planned, and asked about.
type Launch struct {
	Plan   *fsview.Explained
	Policy policy.Policy // effective
	Open   bool          // no barrier of files is planned: the server can do whatever its user can
	NoUnix bool          // the filter refuses every socket of AF_UNIX
	// Landlock is true where the kernel has it.
	Landlock bool
	// Replan plans the same launch with another policy.
	Replan func(policy.Policy) (*Launch, error)
}

// Ask answers a question about a path or a socket.
func Ask(l *Launch, q order.Question) order.Answer {
	v := l.judge(&q)
	if v.Allowed == order.ActDenied && v.Reason == order.ByPolicy {
		l.suggest(&q, &v)
	}
	return v.Answer
}

// A verdict is an answer, with the data for its suggestion.
type verdict struct {
	order.Answer
	cause fsview.Cause
	real  string // where the path leads on the host
	path  string // the path that is denied: the asked one, its folder, or that of an interpreter
	exec  bool   // programs cannot be started at all
}

// by is the pointer of a cause.
func by(c fsview.Cause) string {
	if c.By == "" {
		return order.NoEntry
	}
	return c.By
}

func (v *verdict) allow(c fsview.Cause, text string) {
	v.Allowed, v.Reason, v.By, v.cause, v.Text = order.ActAllowed, "", by(c), c, text
}

func (v *verdict) deny(c fsview.Cause, text string) {
	v.Allowed, v.Reason, v.By, v.cause, v.Text = order.ActDenied, order.ByPolicy, by(c), c, text
}

// other denies because of something else than the policy.
func (v *verdict) other(r order.Reason, text string) {
	v.Allowed, v.Reason, v.By, v.Text = order.ActDenied, r, order.NoEntry, text
}

func (l *Launch) judge(q *order.Question) verdict {
	if q.Socket != "" {
		return l.judgeSocket(q.Socket)
	}
	return l.judgePath(q.Path, q.Op, 0)
}

// judgePath answers for a path. depth counts the interpreters on the way.
func (l *Launch) judgePath(path string, op order.Op, depth int) verdict {
	spot := l.Plan.Find(path)
	real, is, err := l.Plan.OnHost(path)
	v := verdict{Answer: order.Answer{Seen: spot.Sight, OnHost: is}, real: real, path: path}
	if err == unix.ENAMETOOLONG {
		return v.tooLong()
	}
	object, need := real, needs(op)
	// A path that ends at a file with a slash behind it, or in a ring of links, cannot be made.
	made := !is && err == nil && l.Plan.Look(real) == fsview.KindNone
	if op == order.OpWrite && made {
		if object, need = dirOf(real), unix.W_OK|unix.X_OK; l.Plan.Look(object) != fsview.KindFolder {
			v.other(order.ByMissing, path+" does not exist on the host, nor does the folder that it would lie in")
			return v
		}
		v.path = dirOf(strings.TrimRight(path, "/"))
		if strings.HasSuffix(path, "/..") || strings.HasSuffix(path, "/.") {
			v.path = object
		}
	} else if !is && err == nil {
		v.other(order.ByMissing, path+" does not exist on the host either")
		return v
	}
	if err == nil {
		err = l.permits(&spot, object, op, need)
	}
	if err != nil {
		v.other(order.ByPermissions, path+cannot(op)+"by the server's user, whatever the policy says: "+err.Error())
		return v
	}
	l.byPolicy(&v, &spot, path, op)
	if op == order.OpExec && v.Allowed == order.ActAllowed {
		return l.judgeInterpreter(v, spot.Path, depth)
	}
	return v
}

// tooLong answers for a path that no file can have.
func (v verdict) tooLong() verdict {
	v.other(order.ByMissing, v.path+" cannot exist: a name has at most 255 bytes, and a path 4095")
	return v
}

// needs are the rights of access(2) that an act needs of an object that is there.
func needs(op order.Op) uint32 {
	switch op {
	case order.OpWrite:
		return unix.W_OK
	case order.OpExec:
		return unix.X_OK
	}
	return unix.R_OK
}

// cannot are words for the text of a refusal.
func cannot(op order.Op) string {
	switch op {
	case order.OpWrite:
		return " cannot be written "
	case order.OpExec:
		return " cannot be executed "
	}
	return " cannot be read "
}

// permits is the error of the file's own permissions, kind and file system.
func (l *Launch) permits(spot *fsview.Spot, object string, op order.Op, need uint32) error {
	if fsview.MadeFresh(object) && !spot.Host() && !l.Open {
		return nil
	}
	if err := passes(l.Plan, spot); err != nil {
		return err
	}
	kind := l.Plan.Look(object)
	switch {
	case kind == fsview.KindSocket:
		return &problem{"it is a socket, which is connected to and not opened"}
	case op == order.OpExec && kind == fsview.KindFolder:
		return &problem{"it is a folder"}
	case op == order.OpExec && kind != fsview.KindFile:
		return &problem{"it is no regular file"}
	case kind == fsview.KindFolder && op == order.OpWrite:
		need |= unix.X_OK
	case kind == fsview.KindDevice && !fsview.MadeFresh(object) && !l.Open:
		return &problem{"it is a device, which no grant opens"}
	}
	return l.Plan.Permits(object, need)
}

// passes is the error of the first folder on the way through which the server's user may not go.
func passes(plan *fsview.Explained, spot *fsview.Spot) error {
	for _, folder := range spot.Way {
		if err := plan.Permits(folder, unix.X_OK); err != nil {
			return &problem{folder + ": " + err.Error()}
		}
	}
	return nil
}

// A problem is the text of an error.
type problem struct{ text string }

func (p *problem) Error() string { return p.text }

// byPolicy answers by the planner's result.
func (l *Launch) byPolicy(v *verdict, spot *fsview.Spot, path string, op order.Op) {
	leads := path
	if spot.Path != path && (spot.Host() || spot.Sight == order.SeesEmpty) {
		leads = path + " leads to " + spot.Path + ", which"
	}
	reaches := spot.Host() || spot.Missing
	switch {
	case l.Open:
		v.allow(l.openBy(), leads+" is held back by nothing: the server can do whatever its user can")
	case !reaches || !spot.Read:
		v.deny(spot.Reading, l.unseen(spot, leads))
	case op == order.OpWrite && !spot.Write && l.Plan.Look(spot.Path) == fsview.KindPipe &&
		l.Plan.WritesPipe(spot.Path, l.Landlock):
		v.allow(spot.Reading, leads+" can be written: it is a named pipe, and a read-only mount holds no pipe")
	case op == order.OpWrite && !spot.Write:
		v.deny(spot.Writing, l.readOnly(spot, leads))
		if spot.Writing.Kind == fsview.ByNothing {
			v.By = by(spot.Reading) // which grants less
		}
	case op == order.OpExec && !l.mayExec(spot.Path):
		v.exec = true
		v.deny(l.singleExec(), leads+" cannot be executed: the server may start no other program than its own")
	case op == order.OpWrite:
		v.allow(spot.Writing, leads+" can be written: "+l.because(spot.Writing))
	case op == order.OpExec:
		v.allow(spot.Reading, leads+" can be executed: "+l.because(spot.Reading))
	default:
		v.allow(spot.Reading, leads+" can be read: "+l.because(spot.Reading))
	}
}

// openBy is the cause of a launch without a barrier of files.
func (l *Launch) openBy() fsview.Cause {
	if l.Policy.Level == policy.Privileged {
		return fsview.Cause{Kind: fsview.ByLevel, By: "/level"}
	}
	return fsview.Cause{}
}

// mayExec reports whether the server may execute a file that it sees.
func (l *Launch) mayExec(path string) bool {
	return l.Policy.Subprocess.Allow != policy.No || path == l.Plan.Command()
}

// singleExec is the cause of a server that starts no program.
func (l *Launch) singleExec() fsview.Cause {
	at := "/subprocess/allow"
	if l.Policy.Level == policy.Strict {
		at = "/level"
	}
	return fsview.Cause{Kind: fsview.ByRule, By: at}
}

func dirOf(path string) string {
	if i := strings.LastIndexByte(path, '/'); i > 0 {
		return path[:i]
	}
	return "/"
}
