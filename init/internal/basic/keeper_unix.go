//go:build darwin || linux

package basic

import (
	"bufio"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

// A keeper is a process that outlives the shim, should that be killed, and then ends what the shim cannot end any more:
// macOS has nothing like a job, a pid namespace or PR_SET_PDEATHSIG. It does the same for a shim that was stopped, if the host
// ends.
type keeper struct {
	process *os.Process
	line    *os.File // its end is the shim's
}

// stopped is how much longer than its server's grace a shim may take to end that when the host has ended.
const stopped = 2 * time.Second

// newKeeper starts one for the tree below a process, and tells it of the private folder and of the host.
func newKeeper(pid int, p *plan) (*keeper, error) {
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
	_, err = w.WriteString(strconv.Itoa(pid) + "\n" + p.private + "\n" + strconv.Itoa(p.host) + " " + (p.grace + stopped).String() + "\n")
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
	host, _ := r.ReadString('\n')
	done := make(chan bool, 1)
	go func() {
		line, _ := r.ReadString('\n')
		done <- line == "done\n"
	}()
	late := make(chan struct{})
	go afterHost(host, late)
	select {
	case is := <-done:
		if is {
			return 0
		}
	case <-late:
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

// afterHost closes a channel when a process has ended and a time is over, which a line names.
func afterHost(line string, late chan struct{}) {
	number, pause, _ := strings.Cut(strings.TrimSpace(line), " ")
	pid, err := strconv.Atoi(number)
	after, err2 := time.ParseDuration(pause)
	if err != nil || err2 != nil || pid <= 1 || !ended(pid) {
		return
	}
	time.Sleep(after)
	close(late)
}
