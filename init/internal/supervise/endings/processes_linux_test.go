package endings_test

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// A process is one of the machine's, as /proc shows it.
type process struct {
	pid   int
	state byte // as ps(1) writes it
	name  string
	mark  string // the launch that it belongs to
	space string // its pid namespace
}

func (p process) String() string {
	return strconv.Itoa(p.pid) + " " + p.name + " " + string(p.state)
}

// processes are all of the machine's that can be looked at.
func processes() (all []process) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), "(")
		i := strings.LastIndex(rest, ") ")
		if i < 0 {
			continue
		}
		p := process{pid: pid, name: rest[:i], state: rest[i+2]}
		p.space, _ = os.Readlink("/proc/" + name + "/ns/pid")
		env, _ := os.ReadFile("/proc/" + name + "/environ")
		for v := range strings.SplitSeq(string(env), "\x00") {
			if mark, ok := strings.CutPrefix(v, markName+"="); ok {
				p.mark = mark
			}
		}
		all = append(all, p)
	}
	return all
}

// here are the processes of the launch: by its mark, or by the namespace that it made.
func (t *trial) here() (living, dead []process) {
	own, _ := os.Readlink("/proc/self/ns/pid")
	for _, p := range processes() {
		if t.space == "" && p.mark == t.mark && p.space != own && p.space != "" {
			t.space = p.space
		}
		switch {
		case p.mark != t.mark && (t.space == "" || p.space != t.space):
		case p.state == 'Z' || p.state == 'X':
			dead = append(dead, p)
		default:
			living = append(living, p)
		}
	}
	return living, dead
}

// settled waits until the sandbox has at least so many processes alive and dead, and no more come, and counts those that
// live in it.
func (t *trial) settled(living, dead int) int {
	t.Helper()
	last := -1
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		t.here() // finds the namespace
		alive, gone := 0, 0
		for _, p := range processes() {
			switch {
			case t.space == "" || p.space != t.space && !(p.mark == "" && p.state == 'Z' && p.space == ""):
			case p.state == 'Z':
				gone++
			case p.space == t.space:
				alive++
			}
		}
		if alive >= living && gone >= dead && alive == last {
			return alive
		}
		last = alive
	}
	all, _ := t.here()
	t.Fatalf("the sandbox has %v, want %d alive and %d dead", all, living, dead)
	return 0
}

// nobodyLeft demands that every process of the launch is gone before a moment.
func (t *trial) nobodyLeft(by time.Time) {
	t.Helper()
	for {
		living, _ := t.here()
		if len(living) == 0 {
			return
		}
		if time.Now().After(by) {
			t.Errorf("survived: %v", living)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
