//go:build darwin || linux

package limitsonly

import (
	"os"
	"os/signal"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
)

// A watchdogProcess ends the server's tree if the shim was killed, or was stopped when the host ended: macOS
// has nothing like a job, a pid namespace or PR_SET_PDEATHSIG.
type watchdogProcess struct {
	process  *os.Process
	lifeline *os.File // ends with the shim
}

// The watchdog's descriptors beside the first three, which are the null device.
const (
	lifelineFD = 3
	folderFD   = 4 // the private folder, locked
)

// startWatchdog starts the watchdog of the tree below a process.
func startWatchdog(pid int, p *plan) (*watchdogProcess, error) {
	grace, named := p.policy.Limits.Grace.Value()
	if !named {
		grace = ending.FromHost
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	files := []*os.File{null, null, null, r}
	if p.private.Path != "" {
		folder, err := duplicateFD(p.private.FD())
		if err != nil {
			w.Close()
			return nil, err
		}
		defer folder.Close()
		files = append(files, folder)
	}
	process, err := spawn(files, watchdogName, strconv.Itoa(pid), strconv.Itoa(p.host),
		(grace + ending.Stopped).String(), p.private.Path)
	if err != nil {
		w.Close()
		return nil, err
	}
	return &watchdogProcess{process, w}, nil
}

func (w *watchdogProcess) end() {
	if w == nil {
		return
	}
	w.process.Kill()
	w.process.Wait()
	w.lifeline.Close()
}

// watchdog is the process's main. Its arguments are the root of the tree, the host or 0, how long after the
// host's end the tree is ended, and the private folder's path or "".
func watchdog(args []string) int {
	signal.Ignore()
	if len(args) != 4 {
		return 1
	}
	pid, err1 := strconv.Atoi(args[0])
	host, err2 := strconv.Atoi(args[1])
	pause, err3 := time.ParseDuration(args[2])
	if err1 != nil || err2 != nil || err3 != nil || pid <= 1 {
		return 1
	}
	lost := make(chan struct{}, 2)
	go func() {
		os.NewFile(lifelineFD, "lifeline").Read(make([]byte, 1))
		lost <- struct{}{}
	}()
	if host > 1 {
		go func() {
			if waitProcess(host) {
				time.Sleep(pause)
				lost <- struct{}{}
			}
		}()
	}
	<-lost
	proctree.NewTree(pid).Kill()
	if path := args[3]; path != "" {
		d := privdir.Opened(folderFD, path)
		d.Remove(privdir.NoHurry())
	}
	return 0
}
