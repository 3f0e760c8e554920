package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
)

// diskAt is where the machine has mounted table.Disk.
const diskAt = "/var/tmp"

// makeStages makes what single units are given.
func makeStages() error {
	for _, root := range []string{table.Root, diskAt} {
		if err := makeRoot(root); err != nil {
			return err
		}
	}
	release := filepath.Join(table.Extension, "usr/lib/extension-release.d")
	pam := ""
	for _, kind := range []string{"auth", "account", "session"} {
		pam += kind + " required pam_permit.so\n"
	}
	if err := errors.Join(os.MkdirAll(release, 0o755), os.MkdirAll(table.Namespaces, 0o755), os.MkdirAll("/etc/pam.d", 0o755),
		os.WriteFile(filepath.Join(release, "extension-release."+filepath.Base(table.Extension)), []byte("ID=_any\n"), 0o644),
		os.WriteFile("/etc/pam.d/"+table.PAMService, []byte(pam), 0o644)); err != nil {
		return err
	}
	for _, kind := range []string{"net", "ipc"} { // each stays because something is mounted: unshare(1)
		file := filepath.Join(table.Namespaces, kind)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			return err
		}
		if out, err := exec.Command("unshare", "--"+kind+"="+file, "true").CombinedOutput(); err != nil {
			return fmt.Errorf("unshare %s: %w: %s", kind, err, out)
		}
	}
	return nil
}

// makeRoot makes the root of a unit that has another.
func makeRoot(root string) error {
	for _, name := range []string{"usr", "etc", "opt/places", "proc", "sys", "dev", "run", "var/tmp", "tmp"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			return err
		}
	}
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := os.Symlink("usr/"+name, filepath.Join(root, name)); err != nil {
			return err
		}
	}
	return os.Chmod(filepath.Join(root, "tmp"), 0o777|os.ModeSticky)
}
