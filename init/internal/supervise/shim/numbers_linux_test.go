package shim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// Whatever numbers and however many paths a policy names, it never lowers the confinement: the launch is in full, or it is refused.
func TestNumbersLowerNothing(t *testing.T) {
	s := build(t, "")
	deep := func(n, depth int) string {
		var paths []string
		for i := range n {
			dir := filepath.Join(s.Dir, "deep", strings.Repeat("folder-"+strconv.Itoa(i)+"/", depth))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for d := dir; d != s.Dir; d = filepath.Dir(d) {
				os.Chmod(d, 0o755)
			}
			paths = append(paths, strconv.Quote(dir))
		}
		return "[" + strings.Join(paths, ",") + "]"
	}
	limits := func(l string) string { return `"limits":{` + l + `}` }
	full := []string{
		`"filesystem":{"tmpSize":"1M","allowRead":` + deep(20, 4) + `}`,
		`"filesystem":{"tmpSize":"1M","allowRead":` + deep(25, 6) + `}`,
		`"filesystem":{"tmpSize":"1M"},"env":{"HOME":"/tmp/` + strings.Repeat("h/", 1000) + `"}`,
		limits(`"openFiles":64`), limits(`"memory":"unlimited"`), limits(`"cpu":"1m"`), limits(`"io":"1"`),
	}
	either := []string{
		limits(`"memory":"16M"`), limits(`"openFiles":4`), limits(`"openFiles":9223372036854775807`), limits(`"fileSize":"1"`), limits(`"addressSpace":"4M"`),
		limits(`"pids":1`), limits(`"pids":9223372036854775807`), limits(`"timeout":"1ns"`), limits(`"grace":"1ns"`),
		limits(`"io":"9223372036854775807"`), limits(`"cpu":1048576`), `"filesystem":{"tmpSize":"8388607T"}`, `"user":"4294967294:4294967294"`,
		`"umask":"0777"`,
	}
	for _, call := range strings.Fields("ioctl prctl close_range fcntl openat read write socket landlock_restrict_self seccomp clone ptrace execve kill getpid mount") {
		either = append(either, fmt.Sprintf(`"seccomp":{"deny":[%q]}`, call))
	}
	for i, keys := range append(full, either...) {
		l := s.Launch("", "")
		l.Policy = `{"version":1,` + keys + `}`
		l.Command = []string{"/bin/true"}
		o := altered.Run(t, l)
		what := keys[:min(len(keys), 60)]
		switch {
		case len(o.Report) == 0:
			t.Errorf("%s: no report: %s", what, o.Stderr)
		case o.Report[0]["event"] == "refused" && i >= len(full):
			t.Logf("%s: %s", what, o.Stderr)
		case o.Report[0]["confinement"] != "full":
			t.Errorf("%s: %v %v\n%s", what, o.Report[0]["event"], o.Report[0]["confinement"], o.Stderr)
		}
	}
}
