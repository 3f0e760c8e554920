// Package manifest reads the Kubernetes manifest of docs/deployment.md, and says what a container engine has to be
// given for it.
//
//	m, err := manifest.Read("docs/deployment.md", "mcp-server")
//	flags, err := m.Flags(&m.Pod.Spec.Containers[0], folder)
//
// A field that this package does not know is an error: a field without translation would not be tested.
package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Manifest is a ConfigMap and a Pod.
type Manifest struct {
	Data   map[string]string // the ConfigMap's, by the names of files
	Name   string            // the ConfigMap's
	Secret map[string]string // the caller's
	Pod    Pod
}

// A Pod has the fields of Kubernetes' that the document's uses.
type Pod struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       Spec
}

// Spec is a Pod's.
type Spec struct {
	AutomountServiceAccountToken  *bool `yaml:"automountServiceAccountToken"`
	TerminationGracePeriodSeconds int   `yaml:"terminationGracePeriodSeconds"`
	SecurityContext               struct {
		RunAsNonRoot   bool                  `yaml:"runAsNonRoot"`
		RunAsUser      int                   `yaml:"runAsUser"`
		RunAsGroup     int                   `yaml:"runAsGroup"`
		FSGroup        int                   `yaml:"fsGroup"`
		SeccompProfile struct{ Type string } `yaml:"seccompProfile"`
	} `yaml:"securityContext"`
	InitContainers []Container `yaml:"initContainers"`
	Containers     []Container
	Volumes        []Volume
}

// A Container is one of a Pod's.
type Container struct {
	Name            string
	Image           string
	Command, Args   []string
	Stdin           bool
	SecurityContext struct {
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
		Capabilities             struct{ Drop []string }
	} `yaml:"securityContext"`
	StartupProbe   Probe `yaml:"startupProbe"`
	ReadinessProbe Probe `yaml:"readinessProbe"`
	LivenessProbe  Probe `yaml:"livenessProbe"`
	Resources      struct{ Limits map[string]string }
	VolumeMounts   []VolumeMount `yaml:"volumeMounts"`
}

// A Probe is one by HTTP.
type Probe struct {
	HTTPGet struct {
		Path string
		Port int
	} `yaml:"httpGet"`
	PeriodSeconds    int `yaml:"periodSeconds"`
	FailureThreshold int `yaml:"failureThreshold"`
}

// A VolumeMount is a volume in a container.
type VolumeMount struct {
	Name      string
	MountPath string `yaml:"mountPath"`
	ReadOnly  bool   `yaml:"readOnly"`
}

// A Volume is of one of the kinds.
type Volume struct {
	Name      string
	EmptyDir  *struct{ Medium string } `yaml:"emptyDir"`
	ConfigMap *struct{ Name string }   `yaml:"configMap"`
	Secret    *struct {
		SecretName string `yaml:"secretName"`
	}
}

// Read takes a Pod's manifest out of a document: a block of YAML that is a ConfigMap and that Pod. Each change is a
// text that is in the manifest once, and after an arrow the text that replaces it.
func Read(file, pod string, changes ...string) (*Manifest, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	const fence = "```"
	for block := range strings.SplitSeq(string(text), fence+"yaml\n") {
		body, _, ok := strings.Cut(block, "\n"+fence)
		if !ok || !strings.Contains(body, "kind: Pod\nmetadata:\n  name: "+pod+"\n") {
			continue
		}
		for _, change := range changes {
			old, instead, _ := strings.Cut(change, " → ")
			if strings.Count(body, old) != 1 {
				return nil, fmt.Errorf("%s: the manifest has not %q once", file, old)
			}
			body = strings.Replace(body, old, instead, 1)
		}
		return parse([]byte(body))
	}
	return nil, fmt.Errorf("%s: no manifest of %s", file, pod)
}

func parse(text []byte) (*Manifest, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	var c struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Metadata   struct{ Name string }
		Data       map[string]string
	}
	m := new(Manifest)
	if err := d.Decode(&c); err != nil {
		return nil, fmt.Errorf("ConfigMap: %w", err)
	}
	if err := d.Decode(&m.Pod); err != nil {
		return nil, fmt.Errorf("pod: %w", err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.Join(errors.New("something follows the Pod"), err)
	}
	if c.Kind != "ConfigMap" || m.Pod.Kind != "Pod" {
		return nil, fmt.Errorf("a %s and a %s", c.Kind, m.Pod.Kind)
	}
	m.Data, m.Name = c.Data, c.Metadata.Name
	return m, nil
}
