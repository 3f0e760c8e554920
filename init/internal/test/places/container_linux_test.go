package places_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// A container is what an engine of the Docker kind starts, as far as it matters to a sandbox inside: own namespaces,
// /proc masked and partly read-only, and the capabilities and the system call filter that are the default there.
type container struct {
	uid        int
	caps       string   // of root; an ordinary user has none
	unfiltered bool     // seccomp=unconfined
	unmasked   bool     // systempaths=unconfined
	restricted bool     // as the Pod Security Standard of this name: no new privileges; and a root that is read-only
	mounts     []object // volumes
	bare       bool     // no /tmp and no /dev/shm but what the volumes are
	env        []string // in place of PATH and HOME
}

// rootCaps are the capabilities that Docker leaves to root.
const rootCaps = "CAP_AUDIT_WRITE CAP_CHOWN CAP_DAC_OVERRIDE CAP_FOWNER CAP_FSETID CAP_KILL CAP_MKNOD CAP_NET_BIND_SERVICE " +
	"CAP_NET_RAW CAP_SETFCAP CAP_SETGID CAP_SETPCAP CAP_SETUID CAP_SYS_CHROOT"

// in starts the command in a container, by crun. On a machine that mounts control groups in both versions crun gives
// up, so it sees none. An ordinary user's container has a user namespace, with one id.
func in(c container) way {
	return func(h *house, command []string) []string {
		rootless := os.Geteuid() != 0
		bundle := testbed.Folder(h)
		rootfs := filepath.Join(bundle, "rootfs")
		points := []string{"proc", "dev", "sys", "tmp", "usr", "etc", h.bin}
		for _, m := range c.mounts {
			points = append(points, m["destination"].(string))
		}
		for _, p := range points {
			if err := os.MkdirAll(filepath.Join(rootfs, p), 0o755); err != nil {
				h.Fatal(err)
			}
		}
		for _, l := range []string{"bin", "sbin", "lib", "lib64"} {
			if err := os.Symlink("usr/"+l, filepath.Join(rootfs, l)); err != nil {
				h.Fatal(err)
			}
		}
		b, err := json.Marshal(c.config(h.bin, command, rootless))
		if err == nil {
			err = os.WriteFile(filepath.Join(bundle, "config.json"), b, 0o644)
		}
		if err != nil {
			h.Fatal(err)
		}
		words := []string{h.needs("unshare"), "--mount"}
		if rootless {
			words = []string{h.needs("unshare"), "--user", "--map-root-user", "--mount"}
		}
		return append(words, shell("mount -t tmpfs none /sys/fs/cgroup", []string{h.needs("crun"), "--cgroup-manager=disabled",
			"--root", bundle + "/state", "run", "-b", bundle, filepath.Base(bundle)})...)
	}
}

// object is one of JSON.
type object map[string]any

// config is the container's config.json; OCI Runtime Specification 1.0.
func (c *container) config(bin string, command []string, rootless bool) object {
	kinds := []string{"pid", "network", "ipc", "uts", "mount"}
	linux := object{"maskedPaths": []string{}, "readonlyPaths": []string{}}
	sys := object{"destination": "/sys", "type": "sysfs", "source": "sysfs", "options": []string{"nosuid", "noexec", "nodev", "ro"}}
	if rootless {
		kinds = append(kinds, "user")
		one := []object{{"containerID": c.uid, "hostID": 0, "size": 1}}
		linux["uidMappings"], linux["gidMappings"] = one, one
		sys = bind("/sys", "/sys")
	}
	var namespaces []object
	for _, k := range kinds {
		namespaces = append(namespaces, object{"type": k})
	}
	linux["namespaces"] = namespaces
	if !c.unmasked {
		linux["maskedPaths"] = []string{"/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list", "/proc/scsi", "/sys/firmware"}
		linux["readonlyPaths"] = []string{"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}
	}
	if !c.unfiltered {
		linux["seccomp"] = dockerLike()
	}
	caps := strings.Fields(c.caps)
	mounts := []object{
		{"destination": "/proc", "type": "proc", "source": "proc"},
		{"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": []string{"nosuid", "mode=755", "size=65536k"}},
		sys, bind("/usr", "/usr"), bind("/etc", "/etc"),
	}
	env := c.env
	if env == nil {
		env = []string{"PATH=/usr/bin:/bin", "HOME=/tmp/home"}
	}
	if !c.bare {
		mounts = append(mounts, tmpfs("/dev/shm", "mode=1777", "noexec"), tmpfs("/tmp", "mode=1777"), bind(bin, bin))
	}
	return object{
		"ociVersion": "1.0.0", "hostname": "container",
		"root": object{"path": "rootfs", "readonly": c.restricted},
		"process": object{
			"user": object{"uid": c.uid, "gid": c.uid}, "cwd": "/", "args": command,
			"env":             env,
			"noNewPrivileges": c.restricted, "capabilities": object{"bounding": caps, "effective": caps, "permitted": caps},
		},
		"mounts": append(mounts, c.mounts...),
		"linux":  linux,
	}
}

func tmpfs(at string, options ...string) object {
	return object{"destination": at, "type": "tmpfs", "source": "tmpfs", "options": append([]string{"nosuid", "nodev"}, options...)}
}

func bind(from, to string) object {
	return object{"destination": to, "type": "none", "source": from, "options": []string{"rbind", "ro", "nosuid"}}
}

// dockerLike refuses to a process without CAP_SYS_ADMIN what the default filter of Docker refuses it: new namespaces,
// mounts, keys, and the calls that reach far into the kernel. Docker's is a list of what is allowed; of the calls
// that matter here both say the same.
func dockerLike() object {
	const eperm, enosys = 1, 38
	never := strings.Fields("mount umount2 pivot_root unshare setns open_tree move_mount mount_setattr fsopen fsconfig fsmount fspick " +
		"keyctl add_key request_key bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register kexec_load " +
		"init_module finit_module delete_module swapon swapoff reboot acct quotactl settimeofday open_by_handle_at")
	rules := []object{
		{"names": never, "action": "SCMP_ACT_ERRNO", "errnoRet": eperm},
		{"names": []string{"clone3"}, "action": "SCMP_ACT_ERRNO", "errnoRet": enosys}, // glibc then takes clone, whose flags a filter can see
	}
	for _, flag := range []int{unix.CLONE_NEWNS, unix.CLONE_NEWCGROUP, unix.CLONE_NEWUTS, unix.CLONE_NEWIPC, unix.CLONE_NEWUSER, unix.CLONE_NEWPID, unix.CLONE_NEWNET} {
		rules = append(rules, object{"names": []string{"clone"}, "action": "SCMP_ACT_ERRNO", "errnoRet": eperm,
			"args": []object{{"index": 0, "value": flag, "valueTwo": flag, "op": "SCMP_CMP_MASKED_EQ"}}})
	}
	return object{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules}
}
