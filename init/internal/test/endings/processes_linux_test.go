package endings_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A process is one of the machine's, as /proc shows it.
type process struct {
	pid, parent int
	state       byte // as ps(1) writes it
	name        string
	mark        string // the launch that it belongs to
	space       string // its pid namespace; a dead process has none
}

func (p process) String() string {
	return strconv.Itoa(p.pid) + " " + p.name + " " + string(p.state)
}

func (p process) dead() bool { return p.state == 'Z' || p.state == 'X' }

// looking is shared by all tests: a look at thousands of processes is no small work.
var looking struct {
	sync.Mutex
	began time.Time
	all   []process
}

// processes are all of the machine's that can be looked at, now or a little later.
func processes() []process {
	now := time.Now()
	looking.Lock()
	defer looking.Unlock()
	if looking.began.After(now) {
		return looking.all // somebody else looked while this one waited
	}
	looking.began, looking.all = time.Now(), nil
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if p, ok := look(name); ok {
			looking.all = append(looking.all, p)
		}
	}
	return looking.all
}

func look(name string) (p process, ok bool) {
	var err error
	if p.pid, err = strconv.Atoi(name); err != nil {
		return p, false
	}
	stat, err := os.ReadFile("/proc/" + name + "/stat")
	i := strings.LastIndexByte(string(stat), ')')
	fields := strings.Fields(string(stat[i+1:]))
	if err != nil || i < 0 || len(fields) < 2 {
		return p, false
	}
	_, p.name, _ = strings.Cut(string(stat[:i]), "(")
	p.state = fields[0][0]
	p.parent, _ = strconv.Atoi(fields[1])
	if p.dead() {
		return p, true
	}
	p.space, _ = os.Readlink("/proc/" + name + "/ns/pid")
	env, _ := os.ReadFile("/proc/" + name + "/environ")
	for v := range strings.SplitSeq(string(env), "\x00") {
		if mark, ok := strings.CutPrefix(v, markName+"="); ok {
			p.mark = mark
		}
	}
	return p, true
}

// here are the processes of the launch: by its mark, or by the namespace that it made.
func (t *trial) here() (living, dead []process) {
	all := processes()
	mine := map[int]bool{}
	if t.shared {
		t.findShared(all)
	}
	for _, p := range all {
		if !t.shared && t.space == "" && p.mark == t.mark && p.space != "" {
			t.find(p)
		}
		if t.process1 == 0 && t.space != "" && p.space == t.space && p.mark == t.mark {
			if pid := t.unmarked(all, p.parent); isFirst(pid) { // in the middle of an execve a server bears no mark either
				t.process1 = pid
			}
		}
	}
	for _, p := range all {
		if p.dead() {
			continue
		}
		if p.mark == t.mark || !t.shared && t.space != "" && p.space == t.space || p.pid == t.process1 {
			living = append(living, p)
			mine[p.pid] = true
		}
	}
	for _, p := range all {
		if p.dead() && mine[p.parent] {
			dead = append(dead, p)
		}
	}
	return living, dead
}

// findShared finds init where it has no namespace: it bears no mark, and its parent and its children do.
func (t *trial) findShared(all []process) {
	own, _ := os.Readlink("/proc/self/ns/pid")
	marked := map[int]bool{}
	for _, p := range all {
		marked[p.pid] = p.mark == t.mark
	}
	for _, p := range all {
		if p.mark != t.mark || marked[p.parent] || t.process1 != 0 {
			continue
		}
		for _, init := range all {
			if init.pid == p.parent && marked[init.parent] {
				t.process1, t.space = init.pid, own
			}
		}
	}
}

// inside reports whether a process is of the sandbox: init, or below it.
func (t *trial) inside(all []process, p process) bool {
	if !t.shared {
		return p.space == t.space || p.pid == t.process1
	}
	for range 100 {
		if p.pid == t.process1 {
			return true
		}
		i := slices.IndexFunc(all, func(q process) bool { return q.pid == p.parent })
		if i < 0 {
			return false
		}
		p = all[i]
	}
	return false
}

// unmarked is a process that bears no mark, from one of its descendants on: init, which an ordinary user cannot look
// into.
func (t *trial) unmarked(all []process, pid int) int {
	for _, p := range all {
		if p.pid == pid && p.mark == t.mark {
			return t.unmarked(all, p.parent)
		}
	}
	return pid
}

// isFirst reports whether a process is process 1 of a namespace below this one.
func isFirst(pid int) bool {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, rest, _ := strings.Cut(string(b), "\nNSpid:")
	line, _, _ := strings.Cut(rest, "\n")
	numbers := strings.Fields(line)
	return len(numbers) > 1 && numbers[len(numbers)-1] == "1"
}

// find remembers the sandbox's namespace, and keeps it so that no other one gets its number.
func (t *trial) find(p process) {
	own, _ := os.Readlink("/proc/self/ns/pid")
	if p.space == own {
		return
	}
	f, err := os.Open("/proc/" + strconv.Itoa(p.pid) + "/ns/pid")
	if err != nil {
		return
	}
	t.Cleanup(func() { f.Close() })
	t.space = p.space
}

// settled waits until the sandbox has so many processes alive and dead. It reports false where it has none any more.
func (t *trial) settled(living, dead int) bool {
	t.Helper()
	last, over := -1, false
	if !testbed.Comes(func() bool {
		all, gone := t.here()
		alive := 0
		for _, p := range all {
			if t.inside(all, p) {
				alive++
			}
		}
		launcher := testbed.State(t.cmd.Process.Pid)
		over = len(all) == 0 && (t.space != "" || launcher == "" || launcher == "Z")
		same := alive == last
		last = alive
		return over || t.space != "" && alive == living && len(gone) == dead && same
	}) {
		all, gone := t.here()
		t.Fatalf("the sandbox has %v and %d dead, want %d alive and %d dead", all, len(gone), living, dead)
	}
	return !over
}

// nobodyLeft demands that every process of the launch ends.
func (t *trial) nobodyLeft() { t.Helper(); t.goneBy(time.Now()) }

// goneBy waits until every process of the launch is gone, and says by how much that was later than a moment.
func (t *trial) goneBy(moment time.Time) (late time.Duration) {
	t.Helper()
	t.alone("every process", func(process) bool { return false })
	return max(0, time.Since(moment))
}

// alone waits until no process of the launch lives but those that are kept.
func (t *trial) alone(of string, kept func(process) bool) {
	t.Helper()
	var living []process
	if !testbed.Comes(func() bool {
		living, _ = t.here()
		return !slices.ContainsFunc(living, func(p process) bool { return !kept(p) })
	}) {
		t.Errorf("%s should end; alive: %v", of, living)
	}
}
