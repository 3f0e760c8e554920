package layers

import (
	"math"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// What a comparison compares as text differs where the numbers do.
func TestTextsDiffer(t *testing.T) {
	seen := map[string][3]uint32{}
	for _, ids := range [][3]uint32{{7, 7, 7}, {0, 7, 7}, {7, 0, 7}, {7, 7, 0}, {7, 0, 0}, {0, 7, 0}, {0, 0, 7}, {0, 0, 0}} {
		text := threeIDs(ids[0], ids[1], ids[2])
		if other, twice := seen[text]; twice {
			t.Errorf("ids %v and %v are both %q", ids, other, text)
		}
		seen[text] = ids
	}
	values := map[string][2]uint64{}
	for _, soft := range []uint64{0, 1, 7, 1 << 32, math.MaxInt64, math.MaxUint64 - 1, math.MaxUint64} {
		for _, hard := range []uint64{soft, 1, 7, math.MaxUint64} {
			text := value(soft, hard)
			if other, twice := values[text]; twice && other != [2]uint64{soft, hard} {
				t.Errorf("limits %v and %d of %d are both %q", other, soft, hard, text)
			}
			values[text] = [2]uint64{soft, hard}
		}
	}
}

// TestRulesAreCompared: in reduced a rule is for the inode that was looked at, by a descriptor of its own, and one that gives
// reading gives no more.
func TestRulesAreCompared(t *testing.T) {
	for _, c := range []struct {
		name       string
		fd         uint64
		dev, minor uint32
		ino        uint64
		rights     uint64
		write      bool
		ok         bool
	}{
		{"as it is", 20, 8, 1, 10, rightsRead, false, true},
		{"as it is, for writing", 20, 8, 1, 10, rightsWrite, true, true},
		{"standard input's descriptor", 0, 8, 1, 10, rightsRead, false, false},
		{"the last descriptor of a runner", fdTrees, 8, 1, 10, rightsRead, false, false},
		{"another inode", 20, 8, 1, 11, rightsRead, false, false},
		{"another device", 20, 8, 2, 10, rightsRead, false, false},
		{"another kind of device", 20, 9, 1, 10, rightsRead, false, false},
		{"a right more", 20, 8, 1, 10, rightsRead | rightsFile, false, false},
	} {
		node := &fsview.Node{Path: "/srv/r", Source: "/srv/r", Kind: fsview.Bind, Folder: true, Write: c.write,
			FileID: platform.FileID{Dev: 8<<32 | 1, Ino: 10}}
		w := rule{path: node.Source, rights: c.rights, node: node}
		if !c.write {
			w.refuses = node.Source
		}
		state := new(landlockState)
		ruleset := landlockRuleset{state: state, rules: func(*fsview.View) []rule { return []rule{w} }}
		l, results := laid(&Request{}, ruleset, landlockRestrict{state: state, lacks: func(*check, int) {}})
		results.Store(made(l, "openat 0"), c.fd)
		looks := made(l, "statx 0")
		put(results, stat{looks, program.Addr(l.Arg(looks.Index(), 4))}, looked{uint64(c.minor), c.ino, unix.S_IFDIR | 0o755})
		results.Bytes(program.Addr(l.Arg(looks.Index(), 4)).Plus(statxMajor), 4)[0] = byte(c.dev)
		results.Store(made(l, "openat 3"), fails(unix.EACCES)) // of the canary, with Landlock
		if !c.write {
			results.Store(made(l, "openat 4"), fails(unix.EACCES))
		}
		if k := judge(l, results); (k.refusal == nil) != c.ok {
			t.Errorf("%s: %v", c.name, k.refusal)
		}
		if c.ok && !c.write { // a write that the user's own rights do not allow, and that was made
			results.Store(made(l, "faccessat2 0"), fails(unix.EACCES))
			results.Store(made(l, "openat 4"), 20)
			if judge(l, results).refusal == nil {
				t.Errorf("%s: it was opened for writing", c.name)
			}
		}
	}
}

// mountsProc is the part of row root that mounts /proc.
type mountsProc struct{ proc *procMount }

func (r mountsProc) layout(b *build) { r.proc.mount(b, b.copyOf("/")) }

// A list of keys that could not be covered is no list that is not there.
func TestKeysAreCovered(t *testing.T) {
	for _, c := range []struct {
		result uint64
		ok     bool
	}{{0, true}, {fails(unix.ENOENT), true}, {fails(unix.EPERM), false}, {fails(unix.EINVAL), false}, {fails(unix.ENOSYS), false}} {
		proc := new(procMount)
		l, results := laid(&Request{}, mountsProc{proc}, readOnlyProc{proc: proc})
		results.Store(made(l, "move_mount 0"), c.result)
		self := made(l, "readlinkat 0")
		results.Store(self, 1)
		results.Bytes(program.Addr(l.Arg(self.Index(), 2)), 1)[0] = '1'
		if k := judge(l, results); (k.refusal == nil) != c.ok {
			t.Errorf("move_mount over /proc/keys: %d: %v", int64(c.result), k.refusal)
		}
	}
}

// Of the sockets only a connected one of AF_UNIX, stream or packets, leads to one peer and nowhere else.
func TestOnePeer(t *testing.T) {
	for _, domain := range []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_VSOCK, unix.AF_NETLINK, unix.AF_TIPC} {
		for _, kind := range []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_RDM} {
			for bits := range 4 {
				s := Standard{Mode: unix.S_IFSOCK | 0o777, Domain: domain, Type: kind, Listens: bits&1 != 0, Connected: bits&2 != 0}
				want := domain == unix.AF_UNIX && (kind == unix.SOCK_STREAM || kind == unix.SOCK_SEQPACKET) && bits == 2
				if s.OnePeer() != want || s.harmless() != want {
					t.Errorf("family %d, type %d, listens %v, connected %v: one peer %v, harmless %v", domain, kind, s.Listens, s.Connected, s.OnePeer(), s.harmless())
				}
			}
		}
	}
	for _, mode := range []uint32{unix.S_IFIFO, unix.S_IFCHR, unix.S_IFREG, unix.S_IFDIR, unix.S_IFBLK, unix.S_IFLNK, 0} {
		s := Standard{Mode: mode | 0o666}
		if want := mode == unix.S_IFIFO || mode == unix.S_IFCHR; s.harmless() != want {
			t.Errorf("mode %#o: harmless %v", mode, s.harmless())
		}
	}
}
