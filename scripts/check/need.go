package main

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// A need is what a machine must be for a step.
type need string

const (
	root   need = "root"
	debian need = "root on Debian 12, x86_64" // its mirrors have the kernels, engines and QEMU
	amd64  need = "x86_64"                    // Debian's wine64 is for no other processor
	sudo   need = "root or sudo"
)

// lacks says what the machine is not, or nothing.
func (n need) lacks() string {
	release, _ := os.ReadFile("/etc/os-release") // no such file: no Debian
	lines := "\n" + string(release)
	bookworm := strings.Contains(lines, "\nID=debian\n") && strings.Contains(lines, "\nVERSION_ID=\"12\"\n")
	isRoot, isAMD64 := os.Geteuid() == 0, runtime.GOARCH == "amd64"
	is := map[need]bool{"": true, root: isRoot, amd64: isAMD64, sudo: isRoot || found("sudo"),
		debian: isRoot && isAMD64 && bookworm}
	if is[n] {
		return ""
	}
	return "it takes " + string(n)
}

func found(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
