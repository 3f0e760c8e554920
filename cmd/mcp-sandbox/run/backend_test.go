package run

import "testing"

func TestBackendFlags(t *testing.T) {
	for _, c := range []struct {
		b     backend
		wrong bool
	}{
		{backend{}, false},
		{backend{AppleContainer, "docker.io/library/node:22"}, false},
		{backend{AppleContainer, ""}, true},
		{backend{"", "docker.io/library/node:22"}, true},
		{backend{AppleContainer, "--privileged"}, true},
	} {
		if err := c.b.check(); (err != nil) != c.wrong {
			t.Errorf("%+v: %v", c.b, err)
		}
	}
	var b backend
	if err := b.set("docker"); err == nil {
		t.Error("a backend that is none")
	}
	if err := b.set(AppleContainer); err != nil || b.name != AppleContainer {
		t.Error(b, err)
	}
}
