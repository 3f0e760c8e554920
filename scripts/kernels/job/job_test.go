package job

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// What the guest writes is what the machine reads, over a serial line too.
func TestStatusComesBack(t *testing.T) {
	var b strings.Builder
	for _, err := range []error{Exit(&b, "try", 0), Trouble(&b, "two\nlines"), Exit(&b, "platform", 137), Done(&b)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range []string{b.String(), strings.ReplaceAll(b.String(), "\n", "\r\n")} {
		s, err := ParseStatus(strings.NewReader(text))
		want := map[string]int{"try": 0, "platform": 137}
		if err != nil || !maps.Equal(s.Codes, want) || !slices.Equal(s.Troubles, []string{"two lines"}) || !s.Done {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

func TestStatusThatIsNone(t *testing.T) {
	for _, text := range []string{"exit try", "exit try x", "exit  1", "exit a 0\nexit a 0", "trouble ", "\n", "done 1", "done\ndone", "Kernel panic"} {
		if s, err := ParseStatus(strings.NewReader(text)); err == nil {
			t.Errorf("%q: %+v", text, s)
		}
	}
	if s, err := ParseStatus(strings.NewReader("exit try 0\n")); err != nil || s.Done {
		t.Errorf("a guest that was cut off: %+v, %v", s, err)
	}
}

func TestSettingPath(t *testing.T) {
	if p := (Setting{"user.max_net_namespaces", "0"}).Path(); p != "/proc/sys/user/max_net_namespaces" {
		t.Error(p)
	}
}
