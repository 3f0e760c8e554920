package machine

import (
	"bytes"
	"os"
	"strconv"
)

// arguments are QEMU's: a machine with two serial ports, a root from virtiofs and an empty disk. Memory is shared, or
// virtiofsd could not write into it. The disk is discarded at the end, so no write is flushed.
func (m *Machine) arguments(dir string, kvm bool) []string {
	// With a host thread for each processor, QEMU 7.2 sometimes breaks the code that Linux 7.3 patches while it
	// boots: an int3 without a handler in sched_clock_cpu, or a hang, in 3 of 60 boots. With one thread: in none of
	// 60.
	accel, cpu := "tcg,thread=single", "max"
	if kvm {
		accel, cpu = "kvm", "host"
	}
	// The kernel's errors are printed, and an oops ends the boot: so a boot that fails says why. Nor is the timer
	// tested: on a busy host its first ticks are late, and Linux panics, "IO-APIC + timer doesn't work".
	line := "console=ttyS0 quiet loglevel=4 panic=-1 oops=panic no_timer_check"
	if m.Append != "" {
		line += " " + m.Append
	}
	memory := strconv.Itoa(memoryMiB) + "M"
	return []string{"-accel", accel, "-cpu", cpu, "-smp", "2", "-M", "q35,memory-backend=mem", "-m", memory,
		"-object", "memory-backend-memfd,id=mem,share=on,size=" + memory,
		"-chardev", "socket,id=root,path=" + dir + "/root",
		"-device", "vhost-user-fs-pci,chardev=root,tag=hostroot,queue-size=1024",
		"-drive", "file=" + dir + "/disk,format=raw,if=virtio,cache=unsafe",
		"-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-serial", "stdio", "-serial", "file:" + dir + "/status",
		"-kernel", m.Kernel, "-initrd", dir + "/initrd", "-append", line}
}

const memoryMiB = 1024

// hasKVM reports whether KVM can be used: a /dev/kvm may open and be none, where the processor's flags do not say so.
func hasKVM() bool {
	cpu, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || !bytes.Contains(cpu, []byte(" vmx")) && !bytes.Contains(cpu, []byte(" svm")) {
		return false
	}
	f, err := os.OpenFile("/dev/kvm", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
