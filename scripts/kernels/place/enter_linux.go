package place

import (
	"os"
	"slices"
	"strings"
	"syscall"
)

// Enter makes a command start there: it is never anywhere else. CLONE_INTO_CGROUP, clone3(2)
func (p *Place) Enter(attr *syscall.SysProcAttr) {
	if p.group != nil {
		attr.UseCgroupFD, attr.CgroupFD = true, int(p.group.Fd())
	}
}

// Ready turns on, for the groups at the top, what systemd turns on: those of the controllers that are there.
func Ready() error {
	there, err := os.ReadFile(Mount + "/cgroup.controllers")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(string(there)) {
		if slices.Contains([]string{"cpu", "io", "memory", "pids"}, name) {
			if err := os.WriteFile(Mount+"/cgroup.subtree_control", []byte("+"+name), 0); err != nil {
				return err
			}
		}
	}
	return nil
}
