package layers

import (
	"encoding/binary"
	"strconv"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Where a program's results and data lie; op.go of package program.
const (
	firstOp, opSize, opResult, firstData = 64, 88, 64, 1 << 20
)

// fuzzPolicies are the choices that rows depend on.
func fuzzPolicies(t testing.TB) (all []policy.Policy) {
	for _, doc := range []string{`{"version":1}`, `{"version":1,"level":"network"}`, `{"version":1,"level":"strict"}`,
		`{"version":1,"subprocess":{"allow":false},"umask":"0027"}`,
		`{"version":1,"limits":{"memory":"1G","addressSpace":"1T","fileSize":"1M","openFiles":4,"pids":1,"timeout":"1s","cpu":"500m"}}`,
		`{"version":1,"limits":{"memory":"unlimited","pids":"unlimited","openFiles":"unlimited"}}`} {
		p, err := policy.Parse([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		o, err := order.New(p, policy.Library, []string{"/bin/x"}, nil, "/")
		if err != nil {
			t.Fatal(err)
		}
		if p, err = policy.Parse(o.Policy); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// imagined is a view that nobody planned: any nodes in any order.
func imagined(b []byte) *fsview.View {
	paths := []string{"/a", "/a/b", "/a/b/c", "/tmp", "/dev", "/dev/shm", "/dev/null", "/home/u", "/etc/passwd", "/proc"}
	v := &fsview.View{Process: fsview.Process{Command: "/bin/x", Argv: []string{"x"}, Home: "/home/u", Cwd: "/a"}, Capacity: fsview.Capacity{TmpSize: 1 << 20, TmpInodes: 64}}
	for i, c := range b[:min(len(b), 24)] {
		path := paths[int(c&0x0f)%len(paths)]
		switch c >> 6 {
		case 0:
			v.Nodes = append(v.Nodes, fsview.Node{Path: path, Kind: fsview.Kind(c >> 4 & 3), Mode: 0o755, Content: "text", Source: path,
				Folder: i%2 == 0, Write: i%3 == 0, Device: i%5 == 0, Socket: i%7 == 0, FileID: platform.FileID{Ino: uint64(c)}})
		case 1:
			v.Covers = append(v.Covers, fsview.Cover{Path: path, Kind: fsview.CoverKind(c>>4&3) % 3, Folder: i%2 == 0, Source: path, FileID: platform.FileID{Ino: uint64(c)}})
		case 2:
			v.Private = append(v.Private, fsview.Node{Path: path, Mode: uint32(c) << 2})
			v.Allowed = append(v.Allowed, fsview.AllowedSocket{Path: path, Type: 1 + int(c&1)})
		default:
			v.HostRoot, v.Outside = i%2 == 0, path
		}
	}
	return v
}

// FuzzLay lays out whatever policy, machine and view there could be, and compares whatever could come back. A program that
// nobody ran is refused; so is one that stored noise; and no noise may keep the shim from saying so.
func FuzzLay(f *testing.F) {
	policies := fuzzPolicies(f)
	f.Add(uint8(0), uint8(7), uint8(40), uint16(0), []byte{0x00, 0x31, 0x72, 0x85, 0xc1}, []byte{})
	f.Add(uint8(1), uint8(1), uint8(0), uint16(0xffff), []byte{0x32, 0x30, 0x41, 0x51, 0x61}, []byte{0, 0, 0, 0, 0, 0, 0, 0})
	f.Add(uint8(3), uint8(9), uint8(63), uint16(5), []byte{}, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0})
	mem := make([]byte, program.Size)
	f.Fuzz(func(t *testing.T, doc, abi, lastCap uint8, bits uint16, nodes, stored []byte) {
		clear(mem)
		m := Machine{Kernel: "6.1.0", Route: bits&1 != 0, Umask: int(bits & 0o777),
			Landlock:   Landlock{LandlockABI: int(abi % 12)},
			IDs:        IDs{UID: 1000, GID: 1000, OuterUID: 1000, OuterGID: 1000, Root: bits&2 != 0, Groups: int(bits >> 14)},
			Privileges: Privileges{Caps: platform.Capabilities{Last: int(lastCap % 64)}, Dumpable: int(bits >> 2 & 1)},
			Limits:     Limits{CPUs: 1 + int(bits>>3&7), CountsProcesses: bits&64 != 0}}
		for i := range m.Hard {
			m.Hard[i] = 1 << (bits >> (i % 10) & 63)
		}
		p := policies[int(doc)%len(policies)]
		req := &Request{Policy: p, View: imagined(nodes), Machine: m, Env: []string{"A=b"}, Filters: Filters{Filter: make([]byte, 64)}, TTY: bits&128 != 0}
		if bits&256 != 0 {
			req.Asking = make([]byte, 72)
		}
		confinement := [...]policy.Confinement{policy.Full, policy.Reduced, policy.ConfinementLimits, policy.None}[bits>>10&3]
		m.Shared = confinement != policy.Full
		req.Machine = m
		l := NewLayout(mem, &p, confinement, bits&1 != 0)
		if confinement == policy.Full && !m.Root && bits&4096 != 0 {
			l.Begin(&Request{Policy: p, Machine: m, TTY: req.TTY})
		}
		if err := l.Complete(req); err != nil {
			t.Fatal(err)
		}
		for i := range l.Len() {
			if line := l.Line(i, nil); len(line) < 20 || line[:len(strconv.Itoa(i))] != strconv.Itoa(i) {
				t.Fatalf("%d: %q", i, line)
			}
		}
		if _, refusal := l.Check(&Evidence{Results: l.Copy()}); refusal == nil {
			t.Fatal("nothing ran, and nothing was missed")
		}
		if len(stored) < 8 {
			return
		}
		for i := range l.Len() {
			word := binary.LittleEndian.Uint64(append(append([]byte{}, stored...), stored...)[i%len(stored):])
			binary.LittleEndian.PutUint64(mem[firstOp+i*opSize+opResult:], word)
		}
		for at := firstData; at < firstData+1<<15; at++ {
			mem[at] ^= stored[at%len(stored)]
		}
		results := l.Copy()
		if _, refusal := l.Check(&Evidence{Results: results}); refusal == nil || refusal.Error() == "" {
			t.Error("noise was taken for evidence")
		}
		l.Failed(results)
		l.Reached(results)
		l.Ended()
		if code := exitExec; l.ExecFailed(code) != (l.ExecError() != nil) || l.ExecError() == unix.Errno(0) {
			t.Error("an execve that failed without an error")
		}
	})
}
