package conformance_test

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The suite finds in a stdio server behind mcp-sandbox-serve what it finds in the same server's own HTTP, but for
// resumption, which serve has not.
func TestServe(t *testing.T) {
	t.Parallel()
	program := testbed.Conformance(t, "everything-server")
	folder := testbed.Folder(t)
	log, err := os.Create(folder + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(testbed.Command(t, "mcp-sandbox-serve"), "--listen", "127.0.0.1:0", "--max-per-principal", "100", "--", program)
	cmd.Env, cmd.Stderr = []string{"HOME=" + folder, "PATH=/usr/bin:/bin", testbed.NoWait}, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	listening := regexp.MustCompile(`url=(http://\S+)`)
	var url []string
	testbed.Await(t, "the address in the log", func() bool {
		text, err := os.ReadFile(log.Name())
		url = listening.FindStringSubmatch(string(text))
		return err == nil && url != nil
	})
	all := runSuite(t, "server", "--url", url[1])
	passed := 0
	for _, checks := range all {
		passed += len(checks)
	}
	if failed := all.failed(); len(all) < 25 || passed < 39 || len(failed) > 0 {
		text, _ := os.ReadFile(log.Name())
		t.Errorf("%d scenarios, %d checks, these failed: %q\n%s", len(all), passed, failed, text)
	}
}
