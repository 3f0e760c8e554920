package manifest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The document's manifest is read whole, and means what its prose says: nobody's rights, and a root that is read-only.
func TestDocument(t *testing.T) {
	m := document(t)
	if len(m.Pod.Spec.Containers) != 1 || len(m.Pod.Spec.InitContainers) != 1 || m.Data["policy.json"] == "" {
		t.Fatalf("%+v", m)
	}
	flags, err := m.Flags(&m.Pod.Spec.Containers[0], "/volumes")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"--user 1000:1000", "--group-add 1000", "--security-opt no-new-privileges", "--read-only", "--cap-drop ALL",
		"--interactive", "--volume /volumes/policy:/policy:ro", "--volume /volumes/tmp:/tmp"} {
		if !strings.Contains(" "+strings.Join(flags, " ")+" ", " "+want+" ") {
			t.Errorf("no %q in %q", want, flags)
		}
	}
}

// What is not translated is an error.
func TestUnknown(t *testing.T) {
	for _, text := range []string{"kind: ConfigMap\nextra: 1\n---\nkind: Pod\n", "kind: ConfigMap\n---\nkind: Pod\nspec: {hostNetwork: true}\n",
		"kind: ConfigMap\n---\nkind: Pod\n---\nkind: Service\n", "kind: Pod\n---\nkind: Pod\n", ""} {
		if m, err := parse([]byte(text)); err == nil {
			t.Errorf("%q: %+v", text, m)
		}
	}
	m := document(t)
	m.Pod.Spec.SecurityContext.SeccompProfile.Type = "Unconfined"
	if _, err := m.Flags(&m.Pod.Spec.Containers[0], ""); err == nil {
		t.Error("another filter than the engine's is not an error")
	}
}

// A change that is not of this text, or of more than one place in it, is an error.
func TestChanges(t *testing.T) {
	file := filepath.Join(t.TempDir(), "document.md")
	const text = "```yaml\napiVersion: v1\nkind: ConfigMap\n---\nkind: Pod\nmetadata:\n  name: p\nspec: {securityContext: {fsGroup: 7, runAsUser: 7}}\n```\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := Read(file, "p", "fsGroup: 7, → ", "runAsUser: 7 → runAsUser: 8")
	if err != nil || m.Pod.Spec.SecurityContext.FSGroup != 0 || m.Pod.Spec.SecurityContext.RunAsUser != 8 {
		t.Errorf("%+v, %v", m, err)
	}
	for _, change := range []string{"fsGroup: 1 → ", ": 7 → : 8"} {
		if m, err := Read(file, "p", change); err == nil {
			t.Errorf("%q: %+v", change, m)
		}
	}
}

// Volumes are as a kubelet makes them.
func TestVolumes(t *testing.T) {
	m := document(t)
	m.Pod.Spec.SecurityContext.FSGroup = os.Getgid()
	folder := t.TempDir()
	if os.Getuid() != 0 {
		t.Log("an ordinary user gives its volumes to nobody; the modes are told by root's run")
		return
	}
	if err := m.Volumes(folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "policy", "policy.json"))
	if err != nil || string(text) != m.Data["policy.json"] {
		t.Errorf("%q, %v", text, err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o777 || info.Mode()&os.ModeSticky != 0 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if want := []string{"data", "policy", "sandbox", "tmp"}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}

func document(t *testing.T) *Manifest {
	t.Helper()
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Read(filepath.Join(root, "docs", "deployment.md"), "mcp-server")
	if err != nil {
		t.Fatal(err)
	}
	return m
}
