package table

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// Root is the folder with the root of the unit that has one: links into /usr, and a /tmp.
const Root = "/opt/root"

// What the machine has for the units that are given a namespace, a file system, an extension of /usr or a PAM service.
const (
	Namespaces = "/run/places-ns" // with net and ipc
	Disk       = "/dev/vda1"      // holds a root like Root
	Extension  = "/opt/extension"
	PAMService = "places"
)

// MoveDown is what a unit's command starts with where systemd knows no DelegateSubgroup=: the host goes to a group below the
// unit's own, which then holds no process and can be divided. docs/deployment.md has it.
const MoveDown = `g=/sys/fs/cgroup$$(sed -n s/^0:://p /proc/self/cgroup) && mkdir -p $$g/host && echo 0 >$$g/host/cgroup.procs && exec`

// Units are the options of systemd.exec(5), and a few of systemd.resource-control(5), that restrict calls, families, namespaces,
// /proc, devices, users and mounts, each alone in a unit with User= and Delegate=yes. Some groups of calls are not among them:
// without @basic-io, @file-system, @io-event, @ipc, @process and @signal no program of Go starts.
func Units() []Place {
	all := []Place{{Name: "no option", Want: policy.Full, Doctor: "DelegateSubgroup=host"},
		{Name: "no option, the host in a group below", Down: true, Want: policy.Full, Doctor: "limits hold for all processes together"}}
	for _, o := range options() {
		if o.Name == "" {
			o.Name = strings.Join(o.Args, " ")
		}
		all = append(all, o)
	}
	all = append(all, Place{Name: "DevicePolicy=strict", Args: []string{"DevicePolicy=strict", "DeviceAllow=/dev/null rw"}, Want: policy.Full},
		Place{Name: "RootDirectory=", Args: []string{"RootDirectory=" + Root, "BindReadOnlyPaths=/usr /etc /opt/places", "MountAPIVFS=yes"}, Want: policy.Full},
		Place{Name: "RootImage=", Args: []string{"RootImage=" + Disk, "BindReadOnlyPaths=/usr /etc /opt/places", "MountAPIVFS=yes"}, Want: policy.Full},
		Place{Name: "ExtensionDirectories=", Args: []string{"ExtensionDirectories=" + Extension}, Want: policy.Full},
		Place{Name: "NetworkNamespacePath=", Args: []string{"NetworkNamespacePath=" + Namespaces + "/net"}, Want: policy.Full},
		Place{Name: "IPCNamespacePath=", Args: []string{"IPCNamespacePath=" + Namespaces + "/ipc"}, Want: policy.Full},
		Place{Name: "PAMName=", Args: []string{"PAMName=" + PAMService}, Want: policy.Full},
		Place{Name: "NoExecPaths=/", Args: []string{"NoExecPaths=/", "ExecPaths=/usr /opt/places"}, Want: policy.Full})
	for line := range strings.Lines(harmless) {
		line = strings.TrimSpace(line)
		all = append(all, Place{Name: line, Args: []string{line}, Want: policy.Full})
	}
	return all
}

// options are those that take something of full confinement away, or that break servers of their own.
func options() []Place {
	const reduced = policy.Reduced
	lower := func(doctor string, lines ...string) Place { return Place{Args: lines, Want: reduced, Doctor: doctor} }
	return []Place{
		lower("ProtectProc", "ProtectProc=noaccess"),
		lower("ProtectProc", "ProtectProc=invisible"),
		lower("ProtectProc", "ProtectProc=ptraceable"),
		lower("RestrictAddressFamilies", "RestrictAddressFamilies=none"),
		lower("RestrictAddressFamilies", "RestrictAddressFamilies=AF_UNIX"),
		lower("RestrictAddressFamilies", "RestrictAddressFamilies=AF_UNIX AF_INET"),
		lower("RestrictAddressFamilies", "RestrictAddressFamilies=~AF_NETLINK"),
		lower("RestrictNamespaces", "RestrictNamespaces=yes"),
		lower("RestrictNamespaces", "RestrictNamespaces=user"),
		lower("RestrictNamespaces", "RestrictNamespaces=~user"),
		lower("RestrictNamespaces", "RestrictNamespaces=~mnt"),
		lower("RestrictNamespaces", "RestrictNamespaces=~pid"),
		lower("RestrictNamespaces", "RestrictNamespaces=~net"),
		lower("RestrictNamespaces", "RestrictNamespaces=~ipc"),
		lower("RestrictNamespaces", "RestrictNamespaces=~uts"),
		lower("RestrictNamespaces", "RestrictNamespaces=~cgroup"),
		lower("RestrictSUIDSGID", "RestrictSUIDSGID=yes"),
		lower("RestrictSUIDSGID", "DynamicUser=yes"),
		lower("RestrictSUIDSGID", "DynamicUser=yes", "User=places-dynamic"),
		{Args: []string{"SystemCallFilter=@system-service"}, Refused: "landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp in SystemCallFilter="},
		{Args: []string{"SystemCallFilter=@system-service", "SystemCallErrorNumber=EPERM"}, Refused: "seccomp in SystemCallFilter="},
		{Args: []string{"SystemCallFilter=@system-service landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp"}, Want: reduced,
			Doctor: "SystemCallFilter", Broken: []string{"node"}}, // V8 calls pkey_alloc, which is not in that set
		lower("SystemCallFilter", "SystemCallFilter=@system-service landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp", "SystemCallErrorNumber=EPERM"),
		lower("SystemCallFilter", "SystemCallFilter=~@mount"),
		lower("SystemCallFilter", "SystemCallFilter=~@mount", "SystemCallErrorNumber=EPERM"),
		lower("SystemCallFilter", "SystemCallFilter=~@mount", "SystemCallErrorNumber=ENOSYS"),
		lower("SystemCallFilter", "SystemCallFilter=~@privileged"),
		lower("SystemCallFilter", "SystemCallFilter=~@privileged @resources"),
		lower("SystemCallFilter", "SystemCallFilter=~pivot_root"),
		{Args: []string{"SystemCallFilter=~@network-io"}, Refused: "@network-io in SystemCallFilter="},
		{Args: []string{"SystemCallFilter=~@network-io", "SystemCallErrorNumber=EPERM"}, Refused: "@network-io in SystemCallFilter="},
		lower("", "ReadOnlyPaths=/", "ReadWritePaths=/tmp"),
		{Args: []string{"ReadOnlyPaths=/"}, Refused: "/dev/shm"},
		{Args: []string{"SystemCallFilter=~landlock_create_ruleset landlock_add_rule landlock_restrict_self", "SystemCallErrorNumber=EPERM"}, Want: policy.Full, Warns: "Landlock"},
		{Args: []string{"SystemCallFilter=~seccomp", "SystemCallErrorNumber=EPERM"}, Refused: "seccomp in SystemCallFilter="},
		{Args: []string{"SystemCallFilter=~@keyring"}, Want: policy.Full, Warns: "keyctl"},
		{Args: []string{"MemoryDenyWriteExecute=yes"}, Want: policy.Full, Broken: []string{"node", "java"}},
		{Args: []string{"SystemCallFilter=~@pkey"}, Want: policy.Full, Broken: []string{"node"}},
	}
}

// harmless are options, one a line, that take nothing away.
const harmless = `ProcSubset=pid
ProtectSystem=yes
ProtectSystem=full
ProtectSystem=strict
ProtectHome=yes
ProtectHome=read-only
ProtectHome=tmpfs
PrivateTmp=yes
PrivateDevices=yes
PrivateNetwork=yes
PrivateIPC=yes
PrivateUsers=yes
PrivateMounts=yes
ProtectHostname=yes
ProtectClock=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictAddressFamilies=~AF_UNIX
RestrictFileSystems=ext4 tmpfs overlay
LockPersonality=yes
RestrictRealtime=yes
RemoveIPC=yes
MountFlags=slave
MountFlags=private
SystemCallFilter=~@resources
SystemCallFilter=~@aio
SystemCallFilter=~@chown
SystemCallFilter=~@clock
SystemCallFilter=~@cpu-emulation
SystemCallFilter=~@debug
SystemCallFilter=~@memlock
SystemCallFilter=~@module
SystemCallFilter=~@obsolete
SystemCallFilter=~@raw-io
SystemCallFilter=~@reboot
SystemCallFilter=~@setuid
SystemCallFilter=~@swap
SystemCallFilter=~@sync
SystemCallFilter=~@timer
SystemCallArchitectures=native
SystemCallLog=@mount
CapabilityBoundingSet=
CapabilityBoundingSet=~CAP_SYS_ADMIN
AmbientCapabilities=CAP_NET_BIND_SERVICE
AmbientCapabilities=CAP_SYS_ADMIN
NoNewPrivileges=yes
SecureBits=noroot-locked
KeyringMode=shared
UMask=0777
DevicePolicy=closed
InaccessiblePaths=/tmp
InaccessiblePaths=/sys
InaccessiblePaths=/proc/kcore
InaccessiblePaths=/dev/shm
TemporaryFileSystem=/tmp:ro
TemporaryFileSystem=/var
NoExecPaths=/tmp
BindReadOnlyPaths=/usr
IPAddressDeny=any
SocketBindDeny=any
AppArmorProfile=unconfined
SELinuxContext=system_u:system_r:init_t:s0
SmackProcessLabel=places
`
