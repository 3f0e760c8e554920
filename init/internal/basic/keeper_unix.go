//go:build darwin || linux

package basic

import (
	"bufio"
	"os"
	"os/signal"
	"strconv"
	"strings"
)

// A keeper is a process that outlives the shim, should that be killed, and then ends what the shim cannot end any more:
// macOS has nothing like a job, a pid namespace or PR_SET_PDEATHSIG.
type keeper struct {
	process *os.Process
	line    *os.File // its end is the shim's
}

// newKeeper starts one for the tree below a process, and tells it of the private folder.
func newKeeper(pid int, dir string) (*keeper, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		w.Close()
		return nil, err
	}
	defer null.Close()
	k := &keeper{line: w}
	if k.process, err = spawn(keeperName, []*os.File{null, null, null, r}); err != nil {
		w.Close()
		return nil, err
	}
	_, err = w.WriteString(strconv.Itoa(pid) + "\n" + dir + "\n")
	return k, err
}

// dismiss ends it: there is nothing left to keep.
func (k *keeper) dismiss() {
	k.line.WriteString("done\n")
	k.line.Close()
	k.process.Wait()
}

// keep is the keeper's main. Signals are for others; nothing but the end of its line ends it.
func keep() int {
	signal.Ignore()
	r := bufio.NewReader(os.NewFile(downFD, "line"))
	first, err := r.ReadString('\n')
	if err != nil {
		return 1
	}
	dir, _ := r.ReadString('\n')
	if done, _ := r.ReadString('\n'); done == "done\n" {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 {
		return 1
	}
	newFamily(pid).kill()
	v := private{dir: strings.TrimSuffix(dir, "\n")}
	v.remove()
	return 0
}
