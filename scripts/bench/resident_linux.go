package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// resident prints the memory of shim and init beside a sleeping server. Only root may look into init, which is
// not dumpable.
func (b *bench) resident() error {
	fmt.Print("\n| beside a sleeping server | processes | PSS kB | private dirty kB | threads |\n",
		"|---|---|---|---|---|\n")
	for _, v := range []struct {
		name string
		cmd  *exec.Cmd
	}{
		{"mcp-sandbox-init", b.init("--", "/bin/sleep", "30")},
		{"bubblewrap", b.command("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
			"/bin/sleep", "30")},
	} {
		if err := measureRow(v.name, v.cmd); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
	}
	return nil
}

func measureRow(name string, c *exec.Cmd) error {
	if err := c.Start(); err != nil {
		return err
	}
	defer func() {
		c.Process.Signal(syscall.SIGTERM)
		c.Wait()
	}()
	time.Sleep(time.Second) // it settles
	var pss, dirty, threads, processes int
	var unseen bool
	for _, pid := range tree(c.Process.Pid) {
		status, _ := os.ReadFile(proc(pid, "status"))
		if bytes.HasPrefix(status, []byte("Name:\tsleep\n")) {
			continue
		}
		processes++
		memory, err := os.ReadFile(proc(pid, "smaps_rollup"))
		unseen = unseen || err != nil || len(memory) == 0
		pss += number(memory, "Pss")
		dirty += number(memory, "Private_Dirty")
		threads += number(status, "Threads")
	}
	note := ""
	if unseen {
		note = " (without init: run as root)"
	}
	fmt.Printf("| %s%s | %d | %d | %d | %d |\n", name, note, processes, pss, dirty, threads)
	return nil
}

func proc(pid int, file string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), file)
}

// tree lists a process and all below it.
func tree(pid int) []int {
	all := []int{pid}
	for _, child := range testbed.Children(pid) {
		all = append(all, tree(child)...)
	}
	return all
}

// number is the value of one of a file's lines "Name: number".
func number(text []byte, name string) (n int) {
	_, rest, _ := bytes.Cut(text, []byte("\n"+name+":"))
	fmt.Sscan(string(rest), &n) // 0 if there is no such line
	return n
}
