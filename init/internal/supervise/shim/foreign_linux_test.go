package shim

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
)

// What the program that this process was had started before is spared, with all that this starts later, and so is no
// other process by a number that was given out again.
func TestOlderProcesses(t *testing.T) {
	var below [2]int
	var own [2]proctree.Process
	for i := range own {
		cmd := exec.Command("/bin/sh", "-c", "exec 3<&0; cat <&3 & echo $!; wait")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		in, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer to.Close()
		cmd.Stdin = in
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer cmd.Process.Kill()
		in.Close()
		if _, err := fmt.Fscan(out, &below[i]); err != nil {
			t.Fatal(err)
		}
		if own[i], err = proctree.Look(cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
	}
	o := orphans{preexisting: map[int]uint64{own[0].PID: own[0].Start}, gainRights: true}
	for pid, want := range map[int]bool{own[0].PID: true, below[0]: true, own[1].PID: false, below[1]: false} {
		if got := o.isForeign(pid); got != want {
			t.Errorf("%d: %t, the older one is %d with %d", pid, got, own[0].PID, below[0])
		}
	}
	o.preexisting[own[1].PID] = own[1].Start - 1
	if o.isForeign(own[1].PID) || o.isForeign(below[1]) {
		t.Error("a number that was another process's counts as older")
	}
}
