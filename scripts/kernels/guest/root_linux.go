package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"

	"golang.org/x/sys/unix"
)

// hostTag is the name under which the machine serves its root.
const hostTag = "hostroot"

// A mount is one of those that every Linux system has.
type mount struct {
	source, target, kind string
	flags                uintptr
	data                 string
}

func (m mount) make() error {
	if err := os.MkdirAll(m.target, 0o755); err != nil {
		return err
	}
	if err := unix.Mount(m.source, m.target, m.kind, m.flags, m.data); err != nil {
		return &os.PathError{Op: "mount " + m.kind, Path: m.target, Err: err}
	}
	return nil
}

func all(mounts ...mount) error {
	for _, m := range mounts {
		if err := m.make(); err != nil {
			return err
		}
	}
	return nil
}

// makeRoot lays memory over the host's root and moves there. pivot_root(2) does not leave an initramfs, so the mount is
// moved over it, as switch_root(8) does.
func makeRoot() error {
	if err := all(mount{hostTag, "/lower", "virtiofs", unix.MS_RDONLY, ""}, mount{"upper", "/upper", "tmpfs", 0, "mode=755"}); err != nil {
		return err
	}
	for _, d := range []string{"/upper/over", "/upper/work"} {
		if err := os.Mkdir(d, 0o755); err != nil {
			return err
		}
	}
	if err := (mount{"root", "/newroot", "overlay", 0, "lowerdir=/lower,upperdir=/upper/over,workdir=/upper/work"}).make(); err != nil {
		return err
	}
	if err := os.Chdir("/newroot"); err != nil {
		return err
	}
	if err := unix.Mount(".", "/", "", unix.MS_MOVE, ""); err != nil {
		return &os.PathError{Op: "move mount", Path: "/newroot", Err: err}
	}
	if err := unix.Chroot("."); err != nil {
		return &os.PathError{Op: "chroot", Path: "/newroot", Err: err}
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_SHARED|unix.MS_REC, ""); err != nil { // as systemd leaves it
		return &os.PathError{Op: "share", Path: "/", Err: err}
	}
	const plain = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := all(
		mount{"proc", "/proc", "proc", plain, ""},
		mount{"sysfs", "/sys", "sysfs", plain, ""},
		mount{"dev", "/dev", "devtmpfs", unix.MS_NOSUID, ""},
		mount{"devpts", "/dev/pts", "devpts", 0, "gid=5,mode=620,ptmxmode=666"},
		mount{"shm", "/dev/shm", "tmpfs", 0, "mode=1777"},
		mount{"run", "/run", "tmpfs", 0, "mode=755"},
		mount{"securityfs", "/sys/kernel/security", "securityfs", plain, ""},
	); err != nil {
		return err
	}
	for name, to := range map[string]string{"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"} {
		if err := os.Symlink("/proc/self/fd"+to, "/dev/"+name); err != nil {
			return err
		}
	}
	if err := disk(); err != nil {
		return err
	}
	return loopback()
}

// disk makes the machine's own disk /var/tmp: an overlay is no file system to test grants on, as it has neither unnamed
// files nor handles, and a tmpfs had no attributes of users before Linux 6.6. It has one partition, as most disks have: what
// limits a disk is written for the whole of it.
func disk() error {
	const device, target = "/dev/vda1", "/var/tmp"
	if err := divide("/dev/vda"); err != nil {
		return err
	}
	if out, err := exec.Command("/sbin/mkfs.ext4", "-q", "-E", "nodiscard", device).CombinedOutput(); err != nil {
		return fmt.Errorf("mkfs.ext4 %s: %w: %s", device, err, out)
	}
	if err := (mount{device, target, "ext4", 0, ""}).make(); err != nil {
		return err
	}
	return os.Chmod(target, 0o777|os.ModeSticky)
}

// divide gives a disk a partition table with one entry: 16 bytes at 446, the type and two little-endian numbers of sectors, and two
// bytes at the end that say what this is. The kernel reads it when it is told to, and has made the device's file by then.
func divide(disk string) error {
	const sector, first, linux = 512, 2048, 0x83
	f, err := os.OpenFile(disk, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	table := make([]byte, sector)
	table[446+4] = linux
	binary.LittleEndian.PutUint32(table[446+8:], first)
	binary.LittleEndian.PutUint32(table[446+12:], uint32(size/sector-first))
	table[510], table[511] = 0x55, 0xaa
	if _, err := f.WriteAt(table, 0); err != nil {
		return err
	}
	return os.NewSyscallError("ioctl BLKRRPART", unix.IoctlSetInt(int(f.Fd()), unix.BLKRRPART, 0))
}

// loopback brings lo up, as every system does; the tests listen on it.
func loopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP)
	return os.NewSyscallError("ioctl SIOCSIFFLAGS", unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo))
}
