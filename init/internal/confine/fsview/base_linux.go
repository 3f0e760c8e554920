package fsview

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// A base adds the files that every server sees.
type base struct{ *tree }

func (b *base) add() {
	b.devices()
	switch {
	case b.request.Shared:
		b.shared()
		return
	case b.view.HostRoot:
		b.hostRoot()
		return
	}
	b.system()
	b.points.setGenerated("/proc", folder, 0o555, "")
	b.points.setGenerated("/run", folder, 0o755, "")
	b.points.setGenerated("/dev", folder, 0o755, "")
	b.points.setGenerated("/tmp", private, 0o1777, "")
	b.etc()
	b.generated()
}

// system adds the folders that programs live in.
func (b *base) system() {
	b.visible("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store",
		"/run/current-system")
}

// hostRoot hides the parts of the host's root that are not for the server. Mount points cannot be made there, so a
// folder that the host lacks is not hidden.
func (b *base) hostRoot() {
	b.points.allow("/", entry{mode: typeFolder}, mayRead)
	for _, f := range [...]struct {
		path string
		flag flag
		mode uint32
	}{
		{"/dev", private, 0o755}, {"/proc", private, 0o555}, {"/tmp", private, 0o1777},
		{"/sys", hidden, 0}, {"/run", hidden, 0},
	} {
		e, err := b.lookups.lstat(f.path)
		if err == nil && e.is(typeFolder) {
			p := b.points.at(f.path)
			p.entry, p.flags, p.mode = e, f.flag, f.mode
		} else if f.flag == private {
			b.fail(&os.PathError{Op: "filesystem.default", Path: f.path, Err: unix.ENOTDIR})
		}
	}
	b.resolvConf()
}

// missing reports whether an error says that a path does not exist.
func missing(err error) bool {
	return err == unix.ENOENT || err == unix.ENOTDIR
}

// etc adds the parts of /etc that programs need to run. No part names this machine's users.
func (b *base) etc() {
	b.points.setGenerated("/etc", folder, 0o755, "")
	names := make([]string, 0, 32)
	err := b.lookups.list("/etc", func(name []byte, _ uint32) bool {
		if inEtc(string(name)) {
			names = append(names, join("/etc", string(name)))
		}
		return true
	})
	if err != nil && !missing(errors.Unwrap(err)) {
		b.fail(err)
	}
	b.visible(names...)
	b.authorities()
}

// authorities adds the usual paths of certificates; on some systems these are links to files below /var.
func (b *base) authorities() {
	b.visible("/etc/ssl/certs", "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl/ca-bundle.pem",
		"/etc/ssl/cert.pem", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/pki/tls/cert.pem")
}

// devices adds /dev. devpts and the private /dev/shm are mounted later.
func (b *base) devices() {
	for _, path := range [...]string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"} {
		e, err := b.lookups.lstat(path)
		if missing(err) {
			continue
		}
		if err == nil && !e.is(typeChar) {
			err = unix.ENODEV
		}
		if err != nil {
			b.fail(&os.PathError{Op: "base", Path: path, Err: err})
		}
		b.points.allow(path, e, mayRead|device)
	}
	b.points.setGenerated("/dev/ptmx", link, 0, "pts/ptmx")
	b.points.setGenerated("/dev/fd", link, 0, "/proc/self/fd")
	b.points.setGenerated("/dev/stdin", link, 0, "/proc/self/fd/0")
	b.points.setGenerated("/dev/stdout", link, 0, "/proc/self/fd/1")
	b.points.setGenerated("/dev/stderr", link, 0, "/proc/self/fd/2")
	b.points.setGenerated("/dev/pts", folder, 0o755, "")
	b.points.setGenerated("/dev/shm", private, 0o1777, "")
}
