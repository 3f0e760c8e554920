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
	b.points.make("/etc/passwd", file, 0o644, passwd(name, uid, gid, b.view.Home))
	b.points.make("/etc/group", file, 0o644, group(name, gid))
	id, err := machineID()
	b.fail(err)
	b.points.make("/etc/machine-id", file, 0o444, id)
	if !b.request.HostNet {
		b.points.make("/etc/hosts", file, 0o644, hostsFile)
		if b.request.byName() {
			b.points.make("/etc/resolv.conf", file, 0o644, resolvFile)
		}
		return
	}
	b.visible("/etc/hosts")
	b.resolvConf()
}

// resolvConf adds the host's list of name servers in level network, as a copy: a link's target may not be visible,
// and where a daemon replaces the file by rename, a bind would keep the old file.
func (b *base) resolvConf() {
	const path = "/etc/resolv.conf"
	if b.request.byName() {
		b.ownNames()
		return
	}
	if !b.request.HostNet {
		return
	}
	r, err := b.lookups.resolve(path)
	if missing(err) || errors.Is(err, ErrSystem) {
		return
	}
	if err != nil {
		b.fail(&os.PathError{Op: "base", Path: path, Err: err})
		return
	}
	at := path
	if b.view.HostRoot {
		if b.points.access(r.path).read {
			return
		}
		at = r.path
	}
	text, err := b.lookups.read(r.path, 64<<10)
	b.fail(err)
	b.points.make(at, file, 0o644, string(text))
}

// ownNames lays the sandbox's own names over those of a host whose root is shown, where they lie behind links.
func (b *base) ownNames() {
	for _, f := range [...]struct{ path, text string }{{"/etc/hosts", hostsFile}, {"/etc/resolv.conf", resolvFile}} {
		r, err := b.lookups.resolve(f.path)
		if missing(err) || errors.Is(err, ErrSystem) {
			continue
		}
		if err != nil {
			b.fail(&os.PathError{Op: "base", Path: f.path, Err: err})
			return
		}
		b.points.make(r.path, file, 0o644, f.text)
	}
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

// byName reports whether the server looks names up in its own network namespace.
func (r *Request) byName() bool {
	return len(r.Policy.Network.AllowedDomains) > 0 && !r.HostNet && !r.Shared
}
