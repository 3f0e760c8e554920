package fsview

import (
	"errors"
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// generated adds the files of /etc that are made for the server, so that it has a name and a machine of its own.
func (b *base) generated() {
	uid, gid := strconv.Itoa(b.request.UID), strconv.Itoa(b.request.GID)
	name := userName(b.request.Env)
	b.points.setGenerated("/etc/passwd", file, 0o644, passwd(name, uid, gid, b.view.Home))
	b.points.setGenerated("/etc/group", file, 0o644, group(name, gid))
	id, err := machineID()
	b.fail(err)
	b.points.setGenerated("/etc/machine-id", file, 0o444, id)
	switch {
	case b.request.named():
		var uts unix.Utsname
		if err := unix.Uname(&uts); err != nil {
			b.fail(os.NewSyscallError("uname", err))
		}
		b.points.setGenerated("/etc/hosts", file, 0o644, hostsWith(unix.ByteSliceToString(uts.Nodename[:])))
		b.points.setGenerated(resolvPath, file, 0o644, resolvFile)
	default:
		b.visible("/etc/hosts")
		b.resolvConf()
	}
}

// resolvConf adds a list of name servers where it is the host's, or has to lie where the host has it. In level network
// it is a copy of the host's: a link's target may not be visible, and where a daemon replaces the file by rename, a
// bind would keep the old file. Else it names the sandbox's own address. In the host's root a list that can be read
// stays. Where domains are allowed the launcher answers at every address that it can name, else it learns of questions
// to addresses of loopback.
func (b *base) resolvConf() {
	if !b.request.HostNet && !b.request.named() {
		return
	}
	r, err := b.lookups.resolve(resolvPath)
	if missing(err) || errors.Is(err, ErrSystem) {
		return
	}
	if err != nil {
		b.fail(&os.PathError{Op: "base", Path: resolvPath, Err: err})
		return
	}
	at := resolvPath
	if b.view.HostRoot {
		if b.points.access(r.path).read {
			return
		}
		at = r.path
	}
	if b.request.named() {
		b.points.setGenerated(at, file, 0o644, resolvFile)
		return
	}
	text, err := b.lookups.read(r.path, 64<<10)
	b.fail(err)
	b.points.setGenerated(at, file, 0o644, string(text))
}

// machineID is a random one, marked as a version 4 UUID as machine-id(5) has it.
func machineID() (string, error) {
	var b [16]byte
	err := error(unix.EINTR)
	for err == unix.EINTR { // while the kernel has no entropy yet; afterwards up to 256 bytes come whole, getrandom(2)
		_, err = unix.Getrandom(b[:], 0)
	}
	if err != nil {
		return "", os.NewSyscallError("getrandom", err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return order.Hex(b[:]) + "\n", nil
}
