package main

import (
	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/net/bpf"
)

// Numbers of the kernel's headers, the same on amd64 and arm64.
const (
	eperm        = 1
	eafnosupport = 97

	afUnix, afInet, afInet6, afNetlink   = 1, 2, 10, 16
	sockStream, sockDgram, sockSeqpacket = 1, 2, 5
	sockFlags                            = 0x800 | 0x80000 // SOCK_NONBLOCK, SOCK_CLOEXEC
	protoTCP, protoUDP                   = 6, 17

	cloneNew    = 0x7e020000 // NEWNS NEWCGROUP NEWUTS NEWIPC NEWUSER NEWPID NEWNET; 0x80, NEWTIME, is a signal here
	cloneThread = 0x00010000

	tiocsti, tioclinux = 0x5412, 0x541c // type into a terminal; TIOCLINUX does so by selecting and pasting
	tiocsetd           = 0x5423         // another line discipline: silences the host's terminal, and loads modules
	// A terminal that no process can open any more, its user's included, or all again; and one whose output stands
	// still: they outlive the server.
	tiocexcl, tiocnxcl, tcxonc = 0x540c, 0x540d, 0x540a
	// BTRFS_IOC_SNAP_CREATE and its second version: the owner of a subvolume gets a copy of its whole tree,
	// without the mounts that cover denied paths.
	snapCreate, snapCreate2 = 0x50009401, 0x50009417
	// BTRFS_IOC_SUBVOL_CREATE, SNAP_DESTROY, their second versions, SUBVOL_SETFLAGS: folders made, taken away with the
	// mounts that cover paths in them, and made read-only. Landlock has no hook there.
	subvolCreate, subvolCreate2, subvolFlags = 0x5000940e, 0x50009418, 0x4008941a
	snapDestroy, snapDestroy2                = 0x5000940f, 0x5000943f
	// BCH_IOCTL_SUBVOLUME_CREATE and DESTROY with their second versions: the same of bcachefs.
	bchCreate, bchCreate2, bchDestroy, bchDestroy2 = 0x4020bc10, 0x4030bc1d, 0x4020bc11, 0x4030bc1e
	// FS_IOC_SET_ENCRYPTION_POLICY, ADD_ENCRYPTION_KEY, REMOVE_ENCRYPTION_KEY lock a user's files or open them for
	// good, and FS_IOC_ENABLE_VERITY makes a file read-only for good, through a descriptor that only reads.
	cryptPolicy, cryptAdd, cryptRemove, verity = 0x800c6613, 0xc0506617, 0xc0406618, 0x40806685
	whiteout                                   = 4 // RENAME_WHITEOUT
	limitCore                                  = 4 // RLIMIT_CORE

	setIDs     = 0o6000
	charDevice = 0o020000           // the bit of S_IFCHR that S_IFBLK has too, and FIFO, socket, regular file have not
	creates    = 0o100 | 0o20000000 // O_CREAT, __O_TMPFILE: with these the mode counts
	newListen  = 1 << 3             // SECCOMP_FILTER_FLAG_NEW_LISTENER
	linux32    = 8                  // PER_LINUX32: `linux32 uname -m` sets it
	query      = 0xffffffff         // personality: only asks
	setMM      = 35                 // PR_SET_MM: another command line, heap, executable in /proc
	schedCore  = 62                 // PR_SCHED_CORE: takes CPUs' siblings out of others' use
)

// errno is the action that answers with this errno.
func errno(n seccomp.Action) seccomp.Action { return seccomp.ActionErrno | n }

// A rule writes one block. Conditions are on the low 32 bits of an argument: the kernel takes no more of these.
type rule struct {
	name  string
	write func(p *seccomp.Program)
}

// rules are the argument rules. A block ends in a return on every way, or for a socket family falls out at its end.
var rules = []rule{
	{"Clone", func(p *seccomp.Program) { refuseBits(p, 0, cloneNew) }},
	{"Thread", thread},
	{"Ioctl", func(p *seccomp.Program) { refuseValues(p, 1, ioctls[:]...) }},
	{"Prctl", func(p *seccomp.Program) { refuseValues(p, 0, setMM, schedCore) }},
	{"Seccomp", func(p *seccomp.Program) { refuseBits(p, 1, newListen) }},
	{"Personality", func(p *seccomp.Program) { allowValues(p, 0, eperm, 0, linux32, query) }},
	{"Setrlimit", setrlimit},
	{"Prlimit", prlimit},
	{"PrlimitOwn", prlimitOwn},
	{"Rename", func(p *seccomp.Program) { refuseBits(p, 4, whiteout) }},
	{"Mode1", func(p *seccomp.Program) { refuseBits(p, 1, setIDs) }},
	{"Mode2", func(p *seccomp.Program) { refuseBits(p, 2, setIDs) }},
	{"Mknod", func(p *seccomp.Program) { refuseBits(p, 1, setIDs|charDevice) }},
	{"Mknodat", func(p *seccomp.Program) { refuseBits(p, 2, setIDs|charDevice) }},
	{"Open", func(p *seccomp.Program) { open(p, 1) }},
	{"Openat", func(p *seccomp.Program) { open(p, 2) }},
	{"Unix", unix},
	{"Inet", inet},
	{"Netlink", netlink},
	{"Pair", func(p *seccomp.Program) { allowValues(p, 0, eafnosupport, afUnix) }},
	{"PairConnected", pairConnected},
}

// ioctls are refused whatever Landlock can.
var ioctls = [...]uint32{tiocsti, tioclinux, tiocsetd, tiocexcl, tiocnxcl, tcxonc, snapCreate, snapCreate2,
	subvolCreate, subvolCreate2, subvolFlags, snapDestroy, snapDestroy2, bchCreate, bchCreate2, bchDestroy, bchDestroy2,
	cryptPolicy, cryptAdd, cryptRemove, verity}

// older are the rules of calls that an older Landlock leaves to the filter.
var older = []rule{
	{"Signal", func(p *seccomp.Program) { refuseProcesses(p, 0) }},
	{"Setpgid", func(p *seccomp.Program) { refuseProcesses(p, 1) }},
	{"FcntlOwner", func(p *seccomp.Program) { refuseValues(p, 1, setOwn, setSig, setOwnEx) }},
	{"IoctlOwner", func(p *seccomp.Program) { refuseValues(p, 1, append(ioctls[:], fiosetown, siocspgrp)...) }},
	{"Uncut", func(p *seccomp.Program) { uncut(p, 1) }},
	{"UncutAt", func(p *seccomp.Program) { uncut(p, 2) }},
}

// allowElse ends a block: calls that reach this point are allowed, and branches to refuse get this errno.
func allowElse(p *seccomp.Program, refuse seccomp.Label, no seccomp.Action) {
	p.Ret(seccomp.ActionAllow)
	p.SetLabel(refuse)
	p.Ret(errno(no))
}

// refuseBits allows values with none of these bits.
func refuseBits(p *seccomp.Program, arg, bits uint32) {
	refuse := p.NewLabel()
	p.LdLo(arg)
	p.JmpIfTrue(bpf.JumpBitsSet, bits, refuse)
	allowElse(p, refuse, eperm)
}

// refuseValues allows everything but these values.
func refuseValues(p *seccomp.Program, arg uint32, values ...uint32) {
	refuse := p.NewLabel()
	p.LdLo(arg)
	for _, v := range values {
		p.JmpIfTrue(bpf.JumpEqual, v, refuse)
	}
	allowElse(p, refuse, eperm)
}

// allowValues allows these values and nothing else.
func allowValues(p *seccomp.Program, arg uint32, otherwise seccomp.Action, values ...uint32) {
	allow := p.NewLabel()
	p.LdLo(arg)
	for _, v := range values {
		p.JmpIfTrue(bpf.JumpEqual, v, allow)
	}
	p.Ret(errno(otherwise))
	p.SetLabel(allow)
	p.Ret(seccomp.ActionAllow)
}

// open refuses set-id bits in the mode that follows the flags, where the flags make the kernel look at it.
func open(p *seccomp.Program, flags uint32) { openWhole(p, flags, p.NewLabel()) }

func openWhole(p *seccomp.Program, flags uint32, refuse seccomp.Label) {
	plain := p.NewLabel()
	p.LdLo(flags)
	p.JmpIfTrue(bpf.JumpBitsNotSet, creates, plain)
	p.LdLo(flags + 1)
	p.JmpIfTrue(bpf.JumpBitsSet, setIDs, refuse)
	p.SetLabel(plain)
	allowElse(p, refuse, eperm)
}

// thread allows only clones that stay in their process.
func thread(p *seccomp.Program) {
	refuse := p.NewLabel()
	p.LdLo(0)
	p.JmpIfTrue(bpf.JumpBitsSet, cloneNew, refuse)
	p.JmpIfTrue(bpf.JumpBitsNotSet, cloneThread, refuse)
	allowElse(p, refuse, eperm)
}
