package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Flags are what Docker's command line tool is given for a container, so that it starts it as a kubelet has it
// started: RuntimeDefault is the engine's own filter, and a volume is a folder. What a kubelet does not hand to the
// engine is checked.
func (m *Manifest) Flags(c *Container, folder string) ([]string, error) {
	s, pod := &c.SecurityContext, &m.Pod.Spec
	user := &pod.SecurityContext
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		return nil, errors.New("a Pod with a token: the test mounts none")
	}
	if user.SeccompProfile.Type != "RuntimeDefault" {
		return nil, fmt.Errorf("seccompProfile %q: the test has the engine's own", user.SeccompProfile.Type)
	}
	if user.RunAsNonRoot && user.RunAsUser == 0 {
		return nil, errors.New("runAsNonRoot, and runAsUser is 0")
	}
	flags := []string{"--user", fmt.Sprintf("%d:%d", user.RunAsUser, user.RunAsGroup),
		"--env", "KUBERNETES_SERVICE_HOST=10.96.0.1", "--env", "KUBERNETES_SERVICE_PORT=443"}
	if user.FSGroup != 0 {
		flags = append(flags, "--group-add", fmt.Sprint(user.FSGroup))
	}
	if s.AllowPrivilegeEscalation != nil && !*s.AllowPrivilegeEscalation {
		flags = append(flags, "--security-opt", "no-new-privileges")
	}
	if s.ReadOnlyRootFilesystem {
		flags = append(flags, "--read-only")
	}
	for _, name := range s.Capabilities.Drop {
		flags = append(flags, "--cap-drop", name)
	}
	if c.Stdin {
		flags = append(flags, "--interactive")
	}
	for _, v := range c.VolumeMounts {
		mount := filepath.Join(folder, v.Name) + ":" + v.MountPath
		if v.ReadOnly {
			mount += ":ro"
		}
		flags = append(flags, "--volume", mount)
	}
	return flags, nil
}

// Volumes makes the Pod's volumes below a folder as a kubelet does: an emptyDir is of mode 0777, and nothing of it is
// sticky (kubernetes#110835); with fsGroup the group is that, and the mode 2777. A file of a ConfigMap or a Secret is a
// link into a folder whose name is a link again, so that all its files change at once.
func (m *Manifest) Volumes(folder string) error {
	for _, v := range m.Pod.Spec.Volumes {
		dir := filepath.Join(folder, v.Name)
		err := os.Mkdir(dir, 0o755)
		switch {
		case err != nil:
		case v.EmptyDir != nil && v.EmptyDir.Medium == "":
		case v.ConfigMap != nil && v.ConfigMap.Name == m.Name:
			err = m.files(dir, m.Data)
		case v.Secret != nil:
			err = m.files(dir, m.Secret)
		default:
			err = errors.New("a volume of another kind")
		}
		if err == nil {
			err = m.share(dir)
		}
		if err != nil {
			return fmt.Errorf("volume %s: %w", v.Name, err)
		}
	}
	return nil
}

// share gives a volume the mode and the group that a kubelet gives it.
func (m *Manifest) share(dir string) error {
	group := m.Pod.Spec.SecurityContext.FSGroup
	mode := os.FileMode(0o777)
	if group != 0 {
		mode |= os.ModeSetgid
	}
	return errors.Join(os.Chown(dir, 0, group), os.Chmod(dir, mode))
}

func (m *Manifest) files(dir string, data map[string]string) error {
	const version, current = "..2026_11_22_09_00_00.123456789", "..data"
	group := m.Pod.Spec.SecurityContext.FSGroup
	err := errors.Join(os.Mkdir(filepath.Join(dir, version), 0o755), os.Symlink(version, filepath.Join(dir, current)))
	for name, text := range data {
		if strings.Contains(name, "/") {
			return fmt.Errorf("%s: a name with a slash", name)
		}
		file := filepath.Join(dir, version, name)
		err = errors.Join(err, os.WriteFile(file, []byte(text), 0o644), os.Chown(file, 0, group),
			os.Symlink(filepath.Join(current, name), filepath.Join(dir, name)))
	}
	return err
}
