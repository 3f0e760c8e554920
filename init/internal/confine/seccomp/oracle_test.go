package seccomp

import "slices"

// An oracle says in plain Go what a call with these argument registers deserves. It shares no line with the rules.
type oracle func(a [6]uint32, o *Options) string

// oracles cover the calls that look at more than one argument, or at single bits of one.
var oracles = map[string]oracle{
	"socket": func(a [6]uint32, o *Options) string {
		kind := a[1] &^ (1<<11 | 1<<19) // SOCK_NONBLOCK, SOCK_CLOEXEC
		ok := false
		switch a[0] {
		case 1:
			ok = !o.NoUnix && slices.Contains([]uint32{1, 2, 5}, kind)
		case 2, 10:
			ok = !o.NoInet && slices.Contains([]uint32{1, 2}, kind) && slices.Contains([]uint32{0, 6, 17}, a[2])
		case 16:
			ok = !o.NoNetlink && slices.Contains([]uint32{2, 3}, kind) && a[2] == 0
		}
		return word(ok, "EAFNOSUPPORT")
	},
	"socketpair": func(a [6]uint32, o *Options) string {
		kind := a[1] &^ (1<<11 | 1<<19)
		return word(a[0] == 1 && (!o.NoUnix || kind == 1 || kind == 5), "EAFNOSUPPORT")
	},
	"clone": func(a [6]uint32, o *Options) string {
		for _, bit := range []int{17, 25, 26, 27, 28, 29, 30} {
			if a[0]>>bit&1 == 1 {
				return "EPERM"
			}
		}
		return word(!o.OneExec || a[0]>>16&1 == 1, "EPERM")
	},
	"execveat": func(a [6]uint32, o *Options) string {
		return word(!o.OneExec, "EPERM")
	},
	"ioctl": func(a [6]uint32, o *Options) string {
		return word(!slices.Contains(refusedIoctls, a[1]), "EPERM")
	},
	"prctl":       func(a [6]uint32, o *Options) string { return word(a[0] != 35 && a[0] != 62, "EPERM") },
	"seccomp":     func(a [6]uint32, o *Options) string { return word(a[1]/8%2 == 0, "EPERM") },
	"personality": func(a [6]uint32, o *Options) string { return word(a[0] == 0 || a[0] == 8 || a[0]+1 == 0, "EPERM") },
	"prlimit64": func(a [6]uint32, o *Options) string {
		limits := a[1] == 4 && a[2] != 0
		if o.NoPeers && a[0] != 0 || limits && a[3] != 0 {
			return "EPERM"
		}
		return word(!limits, "done")
	},
	"setrlimit": func(a [6]uint32, o *Options) string { return word(a[0] != 4, "done") },
	"renameat2": func(a [6]uint32, o *Options) string { return word(a[4]>>2&1 == 0, "EPERM") },
	"chmod":     func(a [6]uint32, o *Options) string { return word(plainMode(a[1]), "EPERM") },
	"fchmod":    func(a [6]uint32, o *Options) string { return word(plainMode(a[1]), "EPERM") },
	"creat":     func(a [6]uint32, o *Options) string { return word(plainMode(a[1]), "EPERM") },
	"fchmodat":  func(a [6]uint32, o *Options) string { return word(plainMode(a[2]), "EPERM") },
	"fchmodat2": func(a [6]uint32, o *Options) string { return word(plainMode(a[2]), "EPERM") },
	"open":      func(a [6]uint32, o *Options) string { return word(!makes(a[1]) || plainMode(a[2]), "EPERM") },
	"openat":    func(a [6]uint32, o *Options) string { return word(!makes(a[2]) || plainMode(a[3]), "EPERM") },
	"mknod":     func(a [6]uint32, o *Options) string { return word(plainMode(a[1]) && a[1]>>13&1 == 0, "EPERM") },
	"mknodat":   func(a [6]uint32, o *Options) string { return word(plainMode(a[2]) && a[2]>>13&1 == 0, "EPERM") },
	"fork":      func(a [6]uint32, o *Options) string { return word(!o.OneExec, "EPERM") },
	"vfork":     func(a [6]uint32, o *Options) string { return word(!o.OneExec, "EPERM") },
	"shmget":    ipc, "shmat": ipc, "shmctl": ipc, "shmdt": ipc, "semget": ipc, "semop": ipc, "semtimedop": ipc, "semctl": ipc,
	"msgget": ipc, "msgsnd": ipc, "msgrcv": ipc, "msgctl": ipc, "mq_open": ipc, "mq_unlink": ipc,
	"execve": func(a [6]uint32, o *Options) string {
		return word(!o.OneExec, "trace")
	},
}

func ipc(_ [6]uint32, o *Options) string { return word(!o.NoIPC, "EPERM") }

func word(ok bool, otherwise string) string {
	if ok {
		return "allow"
	}
	return otherwise
}

func plainMode(mode uint32) bool { return mode>>10&1 == 0 && mode>>11&1 == 0 }
func makes(flags uint32) bool    { return flags>>6&1 == 1 || flags>>22&1 == 1 }

// seeds are values next to which something changes.
var seeds = append([]uint32{0, 1, 2, 3, 5, 6, 8, 10, 16, 17, 35, 62, 255, 0o644, 0x1000, 0x8000, 0x10000, 0x410002, 0xffffffff}, refusedIoctls...)

// refusedIoctls are those of terminals, of btrfs, of bcachefs, of fscrypt and fsverity.
var refusedIoctls = []uint32{0x5412, 0x541c, 0x5423, 0x540c, 0x540d, 0x540a,
	0x50009401, 0x50009417, 0x5000940e, 0x50009418, 0x4008941a, 0x5000940f, 0x5000943f,
	0x4020bc10, 0x4030bc1d, 0x4020bc11, 0x4030bc1e, 0x800c6613, 0xc0506617, 0xc0406618, 0x40806685}

// sweep returns what one register is tried with: the seeds, and its neighbours in value and in every single bit.
func sweep(v uint32) []uint32 {
	all := append([]uint32{v - 1, v, v + 1}, seeds...)
	for bit := 0; bit < 32; bit++ {
		all = append(all, v^1<<bit)
	}
	return all
}

// grounds are the registers around the one that is swept.
func grounds(name string) (all [][6]uint32) {
	switch name {
	case "socket", "socketpair":
		for _, family := range []uint32{1, 2, 10, 16, 17} {
			for _, kind := range []uint32{1, 2, 3, 5, 0x80802} {
				for _, proto := range []uint32{0, 6, 17} {
					all = append(all, [6]uint32{family, kind, proto})
				}
			}
		}
	case "execveat":
		all = [][6]uint32{{255, 0, 0, 0, 0x1000}, {255}, {0, 0, 0, 0, 0x1000}}
	case "prlimit64":
		all = [][6]uint32{{}, {0, 4}, {0, 4, 1}, {0, 4, 0, 1}, {0, 4, 1, 1}, {1, 4, 1}, {0, 3, 1, 1}}
	default:
		for _, v := range []uint32{0, 8, 0x23, 0x3e, 0x40, 0x410002, 0xc40, 0x5412, 0x541c, 0xffffffff} {
			all = append(all, [6]uint32{v, v, v, v, v, v})
		}
	}
	return all
}

// follow compares one filter with the oracles. Where it has a listener, that is asked about what is reported.
func follow(arch string, rows []row, o *Options, reported map[string]bool, run filterUnderTest) error {
	d := data{arch: audits[arch]} // one for all: it escapes
	check := func(r row, judge oracle, a [6]uint32) error {
		d.number = r.number
		for i, v := range a {
			d.args[i] = uint64(v) | uint64(^v)<<32
		}
		pointers := []uint64{d.args[2]}
		if r.name == "prlimit64" { // it counts whole
			pointers = []uint64{uint64(a[2]), uint64(a[2]) | 1<<32, uint64(a[2]) | 1<<63}
		}
		for i, p := range pointers {
			if d.args[2] = p; i > 0 {
				a[2] |= 1 // no longer nil
			}
			answer := judge(a, o)
			if o.Notify && answer == "EPERM" && reported[r.name] {
				answer = "notify"
			}
			want := answers[answer]
			if got := run(&d); got != want {
				return mismatch("oracle of "+r.name, &d, got, want)
			}
		}
		return nil
	}
	for _, r := range rows {
		judge, ok := oracles[r.name]
		if !ok {
			continue
		}
		for _, ground := range grounds(r.name) {
			for i := 0; i < 5; i++ {
				for _, v := range sweep(ground[i]) {
					a := ground
					a[i] = v
					if err := check(r, judge, a); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}
