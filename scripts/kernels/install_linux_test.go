package main

import (
	"os/exec"
	"testing"
)

func TestInstalled(t *testing.T) {
	if _, err := exec.LookPath("dpkg-query"); err != nil {
		t.Skip("no Debian")
	}
	if !installed(t.Context(), []string{"dpkg", "libc6"}) || installed(t.Context(), []string{"dpkg", "no-such-package"}) {
		t.Error("what is installed is not found, or what is not is")
	}
}
