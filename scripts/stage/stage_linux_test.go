package stage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What another run is at work with stays, and so does what is no folder of a run's.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	long := time.Now().Add(-48 * time.Hour)
	for name, old := range map[string]bool{"x-old": true, "x-new": false, "y-old": true} {
		folder := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Join(folder, "below"), 0o755); err != nil {
			t.Fatal(err)
		}
		if old {
			if err := os.Chtimes(folder, long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	Sweep(dir, "x-")
	Sweep(dir, "z-")
	for name, stays := range map[string]bool{"x-old": false, "x-new": true, "y-old": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != stays {
			t.Errorf("%s: stays: %v, want %v", name, err == nil, stays)
		}
	}
}

// The go command runs in the checkout, and what it says is in the error.
func TestStage(t *testing.T) {
	s, err := New("mcp-sandbox-stage-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Remove()
	if err := s.Go(t.Context(), "list", "./policy"); err != nil {
		t.Error(err)
	}
	if err := s.Go(t.Context(), "list", "./no-such-folder"); err == nil || !strings.Contains(err.Error(), "no-such-folder: ") {
		t.Errorf("a folder that is not there: %v", err)
	}
}
