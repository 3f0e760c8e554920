// Package place puts a launcher where a row wants it: into a control group that is delegated to its user, or is not.
//
//	p, err := place.Make(job.Delegated, 1000)
//	p.Enter(cmd)     // starts there as that user
//	err = p.Remove() // fails if a group is left in it
//
// It needs root and is for test machines: groups are made at the top of the hierarchy.
package place

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// Mount is where a guest has its control groups; where the controllers are in v1, v2 is below.
const (
	Mount   = "/sys/fs/cgroup"
	Unified = Mount + "/unified"
)

// V2 is where this guest has the hierarchy of cgroup v2.
func V2() string {
	if _, err := os.Stat(Unified); err == nil {
		return Unified
	}
	return Mount
}

// A Place is one launcher's.
type Place struct {
	folders []string // the outer first
	group   *os.File // of the last
	env     []string // of a launcher; the names are those that pam_systemd(8) sets
	uid     int
}

// Groups are, as /proc/PID/cgroup names them, the one in which a launcher starts, and the one that belongs to its user;
// both are empty where nothing was made.
func (p *Place) Groups() (start, delegated string) {
	if len(p.folders) == 0 {
		return "", ""
	}
	return strings.TrimPrefix(p.folders[len(p.folders)-1], Mount), strings.TrimPrefix(p.folders[0], Mount)
}

// Enter makes a command start there as the place's user: it is never anywhere else. CLONE_INTO_CGROUP, clone3(2)
func (p *Place) Enter(cmd *exec.Cmd) {
	id := uint32(p.uid)
	cmd.Env = append(cmd.Env, p.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}, Setsid: true}
	if p.group != nil {
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(p.group.Fd())
	}
}

// Remove removes the groups. Whatever was made below them must be gone.
func (p *Place) Remove() error {
	if p.group != nil {
		p.group.Close()
	}
	for _, folder := range slices.Backward(p.folders) {
		if err := os.Remove(folder); err != nil {
			return fmt.Errorf("left behind: %w", err)
		}
	}
	return nil
}

// Make makes a place for a user.
func Make(where job.Place, uid int) (*Place, error) {
	p := &Place{uid: uid}
	switch where {
	case job.Nowhere:
		return p, nil
	case job.Manager:
		folder := fmt.Sprintf("/run/user/%d", uid)
		p.env = []string{"XDG_RUNTIME_DIR=" + folder, "DBUS_SESSION_BUS_ADDRESS=unix:path=" + folder + "/bus"}
		return p, nil
	case job.Delegated, job.Below:
		folder, err := os.MkdirTemp(Mount, "delegated-")
		if err != nil {
			return nil, err
		}
		p.folders = []string{folder}
		if where == job.Below {
			p.folders = append(p.folders, folder+"/launcher")
		}
		if err := p.delegate(); err != nil {
			p.Remove()
			return nil, err
		}
		return p, nil
	}
	return nil, fmt.Errorf("place %q: there is no such", where)
}

// delegate gives the groups to the user: the folder and the three files that cgroups(7) names under "Delegation". Which
// controllers are on below the outermost is the user's affair, as with systemd.
func (p *Place) delegate() (err error) {
	for _, folder := range p.folders {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.Chmod(folder, 0o755); err != nil {
			return err
		}
		for _, name := range []string{"", "/cgroup.procs", "/cgroup.threads", "/cgroup.subtree_control"} {
			if err := os.Chown(folder+name, p.uid, p.uid); err != nil {
				return err
			}
		}
	}
	p.group, err = os.Open(p.folders[len(p.folders)-1])
	return err
}
