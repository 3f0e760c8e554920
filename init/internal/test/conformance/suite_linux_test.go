package conformance_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// results are the checks of each scenario, sorted: "id STATUS".
type results map[string][]string

// runSuite runs the suite with words behind its name, and reads what it found. Its status says only whether all is well.
func runSuite(t *testing.T, words ...string) results {
	t.Helper()
	bun := testbed.Runtime(t, "bun")
	entry := filepath.Join(testbed.Modules(t), "@modelcontextprotocol/conformance/dist/index.js")
	folder := testbed.Folder(t)
	ctx, stop := context.WithTimeout(t.Context(), 3*testbed.Patience())
	defer stop()
	if words[0] == "client" { // the suite ends a client after 30 s, and starts all at once
		words = append(words, "--timeout", strconv.FormatInt(2*testbed.Patience().Milliseconds(), 10))
	}
	cmd := exec.CommandContext(ctx, bun, append(append([]string{entry}, words...), "-o", folder)...)
	cmd.Dir, cmd.Env = folder, []string{"HOME=" + folder, "PATH=/usr/bin:/bin", testbed.NoWait}
	text, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("the suite hangs\n%s", text)
	}
	all := read(t, folder)
	if len(all) == 0 {
		t.Fatalf("%v, no results\n%s", err, text)
	}
	return all
}

// stamp ends the name of a folder of results.
var stamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// byTime are checks that tell how busy this machine is.
var byTime = []string{"client-sse-retry-timing"}

func read(t *testing.T, folder string) results {
	t.Helper()
	all := results{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "checks.json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var checks []struct{ ID, Status string }
		if err := json.Unmarshal(text, &checks); err != nil {
			return err
		}
		name, err := filepath.Rel(folder, stamp.ReplaceAllString(filepath.Dir(path), ""))
		all[name] = nil
		for _, c := range checks {
			if slices.Contains(byTime, c.ID) {
				c.Status = "MEASURED"
			}
			if c.Status != "INFO" {
				all[name] = append(all[name], c.ID+" "+c.Status)
			}
		}
		slices.Sort(all[name])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// failed are the scenarios in which a check failed or none was made.
func (r results) failed() (all []string) {
	for name, checks := range r {
		bad := func(check string) bool { return strings.HasSuffix(check, " FAILURE") }
		if len(checks) == 0 || slices.ContainsFunc(checks, bad) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// same demands what the suite found without a sandbox, check by check.
func (r results) same(t *testing.T, bare results) {
	t.Helper()
	checks := 0
	for _, name := range slices.Sorted(maps.Keys(bare)) {
		checks += len(bare[name])
		if !slices.Equal(r[name], bare[name]) {
			t.Errorf("%s: %q, without a sandbox %q", name, r[name], bare[name])
		}
	}
	if len(r) != len(bare) {
		t.Errorf("%d scenarios, without a sandbox %d", len(r), len(bare))
	}
	t.Logf("%d scenarios, %d checks, %d scenarios failed as without a sandbox", len(r), checks, len(bare.failed()))
}
