package fsview

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// base adds what every server sees.
func (p *planner) base() error {
	if err := p.devices(); err != nil {
		return err
	}
	if p.r.Shared {
		return p.shared()
	}
	if p.v.HostRoot {
		return p.hostRoot()
	}
	if err := p.system(); err != nil {
		return err
	}
	p.points.make("/proc", folder, 0o555, "")
	p.points.make("/run", folder, 0o755, "")
	p.points.make("/dev", folder, 0o755, "")
	p.points.make("/tmp", private, 0o1777, "")
	if err := p.etc(); err != nil {
		return err
	}
	return p.generated()
}

// system adds the folders that programs live in.
func (p *planner) system() error {
	for _, path := range [...]string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store", "/run/current-system"} {
		if err := p.visible(path); err != nil {
			return err
		}
	}
	return nil
}

// hostRoot hides what of the host's root is not for the server. Mount points cannot be made there, so what the host
// does not have is not hidden.
func (p *planner) hostRoot() error {
	p.points.allow("/", entry{mode: typeFolder}, mayRead)
	for _, path := range [...]string{"/dev", "/proc", "/sys", "/tmp", "/run"} {
		e, err := p.host.lstat(path)
		if err != nil || !e.is(typeFolder) {
			if path == "/tmp" || path == "/dev" || path == "/proc" {
				return &os.PathError{Op: "filesystem.default", Path: path, Err: unix.ENOTDIR}
			}
			continue
		}
		point := p.points.at(path)
		point.entry = e
		switch path {
		case "/tmp":
			point.flags, point.mode = private, 0o1777
		case "/dev":
			point.flags, point.mode = private, 0o755
		case "/proc":
			point.flags, point.mode = private, 0o555
		default:
			point.flags = hidden
		}
	}
	return p.resolvConf()
}

// visible adds one path of the base system, if the host has it, and the links that lead there. The base system is the
// administrator's, so its links are followed to wherever they lead, but for what is made fresh.
func (p *planner) visible(path string) error {
	r, err := p.host.resolve(path)
	switch {
	case missing(err), errors.Is(err, ErrSystem), errors.Is(err, unix.ELOOP), errors.Is(err, unix.EACCES):
		return nil
	case err != nil:
		return &os.PathError{Op: "base", Path: path, Err: err}
	}
	p.show(&r)
	if r.path != "/" && (r.entry.is(typeFolder) || r.entry.is(typeFile)) && !p.points.access(r.path).read {
		p.points.allow(r.path, r.entry, mayRead)
	}
	return nil
}

// missing reports whether an error says that a path does not exist.
func missing(err error) bool {
	return err == unix.ENOENT || err == unix.ENOTDIR
}

// etc adds the parts of /etc that programs need to run and that tell nothing of this machine's users.
func (p *planner) etc() error {
	p.points.make("/etc", folder, 0o755, "")
	names := make([]string, 0, 32)
	err := p.host.list("/etc", func(name []byte, _ byte) bool {
		if inEtc(string(name)) {
			names = append(names, join("/etc", string(name)))
		}
		return true
	})
	if err != nil && !missing(errors.Unwrap(err)) {
		return err
	}
	for _, path := range names {
		if err := p.visible(path); err != nil {
			return err
		}
	}
	return p.authorities()
}

// authorities adds where certificates are looked for; on some systems these are links to what lies below /var.
func (p *planner) authorities() error {
	for _, path := range [...]string{"/etc/ssl/certs", "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/ca-bundle.pem",
		"/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/tls/cert.pem"} {
		if err := p.visible(path); err != nil {
			return err
		}
	}
	return nil
}

// devices adds /dev. devpts and the private /dev/shm are mounted later.
func (p *planner) devices() error {
	for _, path := range [...]string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"} {
		e, err := p.host.lstat(path)
		if missing(err) {
			continue
		}
		if err == nil && !e.is(typeChar) {
			err = unix.ENODEV
		}
		if err != nil {
			return &os.PathError{Op: "base", Path: path, Err: err}
		}
		p.points.allow(path, e, mayRead|device)
	}
	p.points.make("/dev/ptmx", link, 0, "pts/ptmx")
	p.points.make("/dev/fd", link, 0, "/proc/self/fd")
	p.points.make("/dev/stdin", link, 0, "/proc/self/fd/0")
	p.points.make("/dev/stdout", link, 0, "/proc/self/fd/1")
	p.points.make("/dev/stderr", link, 0, "/proc/self/fd/2")
	p.points.make("/dev/pts", folder, 0o755, "")
	p.points.make("/dev/shm", private, 0o1777, "")
	return nil
}
