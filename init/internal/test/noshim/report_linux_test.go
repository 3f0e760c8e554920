package noshim

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// The same policy gives the same report with a shim and without: but for what differs in any two launches.
func TestSameReportBothWays(t *testing.T) {
	ordinary(t)
	for _, d := range altered.Documents {
		if altered.Begin(d.Text) != "" || strings.Contains(d.Text, altered.FromTerminal) {
			continue // these have a shim
		}
		t.Run(d.Name, func(t *testing.T) {
			s := altered.Build(t, d.Below)
			var reports [2][]string
			for i, hosted := range []bool{false, true} {
				l := s.Launch(d.Text, "mark")
				l.NoShim = hosted
				o := altered.Run(t, l)
				if o.Code != 0 || o.Event() != "exited" || o.Stdout != "ran\n" {
					t.Fatalf("without a shim %v: code %d, %q, %s\n%s", hosted, o.Code, o.Stdout, o.Event(), o.Stderr)
				}
				reports[i] = strings.Split(timeless(t, o.Report), "\n")
			}
			with, without := reports[0], reports[1]
			for i := range max(len(with), len(without)) {
				if i >= min(len(with), len(without)) || with[i] != without[i] {
					t.Fatalf("line %d with a shim, of %d, and without, of %d:\n%s\n%s", i, len(with), len(without),
						strings.Join(with[max(0, i-2):min(len(with), i+3)], "\n"),
						strings.Join(without[max(0, i-2):min(len(without), i+3)], "\n"))
				}
			}
		})
	}
}

// numbers are those that the kernel gives out: of namespaces, pipes, keyrings and devices.
var numbers = regexp.MustCompile(`[0-9]{5,}|device 0:[0-9]+`)

func timeless(t *testing.T, report []map[string]any) string {
	t.Helper()
	for _, line := range report {
		for _, name := range []string{"id", "time", "pid", "wallSeconds", "cpuSeconds", "maxRSS"} {
			delete(line, name)
		}
	}
	b, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return numbers.ReplaceAllString(string(b), "N")
}
