//go:build darwin || linux

package proctree

import (
	"bufio"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A process that leaves its parent and the root's session is killed with the tree, if a reading has shown it before.
func TestTreeKill(t *testing.T) {
	c := exec.Command("/bin/sh", "-c", "exec 3<&0; sh -c 'sleep 600 & echo $!; read x <&3' & wait; sleep 600 & wait")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	tree := NewTree(c.Process.Pid)
	tree.Follow()
	line, err := bufio.NewReader(out).ReadString('\n')
	orphan, err2 := strconv.Atoi(strings.TrimSpace(line))
	if err != nil || err2 != nil {
		t.Fatal(line, err, err2)
	}
	testbed.Await(t, "the process in the tree", func() bool { return slices.Contains(tree.look(), orphan) })
	parent := parentOf(orphan)
	in.Close()
	testbed.Await(t, "the end of its parent, and another process", func() bool {
		return parentOf(orphan) != parent && len(tree.look()) == 3
	})
	tree.Close()
	if n := tree.Kill(); n != 3 {
		t.Errorf("%d killed, want 3", n)
	}
	for _, p := range Table() {
		if p.PID == orphan && !p.Dead() {
			t.Error("a process of the tree lives")
		}
	}
}

// parentOf is a process's parent, 0 if there is no such process.
func parentOf(pid int) int {
	for _, p := range Table() {
		if p.PID == pid {
			return p.Parent
		}
	}
	return 0
}

func TestTreeGrows(t *testing.T) {
	process := func(pid, parent, start, session int) Process {
		return Process{PID: pid, Parent: parent, Start: uint64(start), Session: session, state: 'S'}
	}
	dead := process(14, 1, 6, 14)
	dead.state = 'Z'
	tree := &Tree{root: 10, seen: map[int]uint64{}}
	for _, look := range []struct {
		name  string
		table []Process
		want  []int
	}{
		{"the root and what is below it", []Process{process(10, 1, 1, 10), process(11, 10, 2, 10), process(12, 11, 3, 10),
			process(20, 1, 1, 20)}, []int{10, 11, 12}},
		{"in any order", []Process{process(12, 11, 3, 10), process(13, 12, 4, 13), process(11, 10, 2, 10),
			process(10, 1, 1, 10)}, []int{10, 11, 12, 13}},
		{"who was seen stays, whoever its parent is", []Process{process(10, 1, 1, 10), process(12, 1, 3, 10),
			process(13, 1, 4, 13)}, []int{10, 12, 13}},
		{"its session", []Process{process(10, 1, 1, 10), process(21, 1, 9, 10), process(13, 1, 4, 13)}, []int{10, 13, 21}},
		{"a child of somebody seen, in a session of its own", []Process{process(13, 1, 4, 13), process(14, 13, 6, 14)},
			[]int{13, 14}},
		{"a number used again is somebody else", []Process{process(13, 1, 77, 13), process(14, 1, 6, 14)}, []int{14}},
		{"so is the root's", []Process{process(10, 1, 99, 1), process(14, 1, 6, 14)}, []int{14}},
		{"the dead do not live", []Process{dead, process(15, 14, 7, 15)}, []int{15}},
		{"nobody", nil, nil},
	} {
		got := tree.grow(look.table)
		slices.Sort(got)
		if !slices.Equal(got, look.want) {
			t.Errorf("%s: %v, want %v", look.name, got, look.want)
		}
	}
}
