package debian

import (
	"strings"
	"testing"
)

func TestDependsOn(t *testing.T) {
	for _, c := range []struct{ text, kinds, want string }{
		{"linux-image-cloud-amd64\n  Depends: linux-image-6.1.0-56-cloud-amd64\n", "image", "linux-image-6.1.0-56-cloud-amd64"},
		{"x\n  PreDepends: linux-image-1\n  Suggests: linux-image-2\n |Depends: linux-image-3-a\n  Depends: linux-image-4\n", "image", "linux-image-3-a linux-image-4"},
		{"x\n  Depends: linux-image-cloud-amd64\n  Depends: linux-image-\n", "image", ""},
		{"x\n  Depends: kmod\n  Depends: linux-binary-7.3\n  Depends: linux-modules-7.3\n", "binary modules", "linux-binary-7.3 linux-modules-7.3"},
		{"x\n  Depends: linux-binary-7.3\n", "image", ""},
		{"x\n  Depends: kmod\n", "image", ""},
		{"", "image", ""},
	} {
		if got := strings.Join(dependsOn(c.text, strings.Fields(c.kinds)...), " "); got != c.want {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

func TestMirrors(t *testing.T) {
	for _, c := range []struct{ text, main, security string }{
		{"bookworm http://a.example/debian/\nbookworm-updates http://b.example/\nbookworm-security http://c.example/\n", "http://a.example/debian/", "http://c.example/"},
		{"nodistro http://x.example/\nbookworm http://a.example/\nbookworm http://b.example/\n", "http://a.example/", ""},
		{" http://x.example/\n", "", ""},
		{"", "", ""},
	} {
		if main, security := mirrors(c.text, "bookworm"); main != c.main || security != c.security {
			t.Errorf("%q: %q, %q", c.text, main, security)
		}
	}
}

func TestCodename(t *testing.T) {
	for text, want := range map[string]string{
		"NAME=x\nVERSION_CODENAME=bookworm\nID=debian\n": "bookworm",
		"VERSION_CODENAME=\"noble\"\n":                   "noble",
		"NAME=Arch\n":                                    "",
	} {
		if got := codename(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
