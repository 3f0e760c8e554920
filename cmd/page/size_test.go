package page

import "testing"

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0B", 4096: "4096B", 16 << 10: "16K", 5 << 30: "5120M"} {
		if got := Size(bytes); got != want {
			t.Errorf("%d: %s, not %s", bytes, got, want)
		}
	}
}
