package resources_test

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// The server's own /proc/self/limits says what the policy says, whatever the report says; and what the policy leaves
// open is as the launcher had it.
func TestOwnLimits(t *testing.T) {
	for _, priority := range []int{unix.RLIMIT_RTPRIO, unix.RLIMIT_NICE} { // as root of the matrix has the right to
		var was unix.Rlimit
		if err := unix.Prlimit(0, priority, &unix.Rlimit{Cur: 20, Max: 20}, &was); err == nil {
			defer unix.Prlimit(0, priority, &was, nil)
		}
	}
	out, err := exec.Command("/bin/cat", "/proc/self/limits").Output()
	if err != nil {
		t.Fatal(err)
	}
	inherited, core := limitLines(string(out)), "1"
	if strings.HasSuffix(inherited["core file size"], " 0") {
		core = "0" // the launcher's hard limit
	}
	everywhere(t, func(t *testing.T, at place) {
		for _, c := range []struct{ limits, cpu, data, space, file, open, processes string }{
			{`"memory":"256M","pids":60,"openFiles":200,"fileSize":"1M","addressSpace":"8G","cpu":"500m","timeout":"90s"`,
				"45 46", "268435456", "8589934592", "1048576", "200", "61"}, // init counts, too
			{`"memory":"unlimited","pids":"unlimited","openFiles":"unlimited","cpu":"100m","timeout":"9s"`, "1 2", "", "", "", "", ""},
			{`"memory":"unlimited","pids":"unlimited","openFiles":"unlimited"`, "", "", "", "", "", ""},
		} {
			run := start(t, at, `"limits":{`+c.limits+`}`, "/bin/cat", "/proc/self/limits")
			run.Ran()
			if at.group { // which counts all processes together
				c.data, c.processes = "", ""
			}
			got := limitLines(run.Stdout.String())
			if len(got) != 16 {
				t.Fatalf("code %d, %q\n%s", run.Code, &run.Stdout, &run.Stderr)
			}
			want := map[string]string{"cpu time": c.cpu, "core file size": core, "data size": c.data, "address space": c.space,
				"file size": c.file, "open files": c.open, "processes": c.processes, "nice priority": "0", "realtime priority": "0",
				"pending signals": least(inherited, "pending signals", 1024), "msgqueue size": least(inherited, "msgqueue size", 409600)}
			for name, is := range got {
				w := want[name]
				switch soft, hard, two := strings.Cut(w, " "); {
				case w == "":
					w = inherited[name]
				case !two:
					w = soft + " " + soft
				default:
					w = soft + " " + hard
				}
				if is != w {
					t.Errorf("%s: %s is %s, want %s", c.limits, name, is, w)
				}
			}
		}
	})
}

// least is a limit in full from Linux 5.14 on, or the inherited one if that is lower.
func least(inherited map[string]string, name string, limit int) string {
	_, hard, _ := strings.Cut(inherited[name], " ")
	if n, err := strconv.Atoi(hard); err == nil && n <= limit {
		return ""
	}
	return strconv.Itoa(limit)
}

// limitLines reads proc_pid_limits(5), whose names have spaces in them: columns start at 0 and 26.
func limitLines(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "Max "); ok && len(line) > 26 {
			f := strings.Fields(line[26:])
			all[strings.TrimSpace(name[:22])] = f[0] + " " + f[1]
		}
	}
	return all
}

// A file that grows, and memory that is only reserved, end at their limits, and go further without.
// The machines of the matrix have little memory, of which no more can be reserved.
func TestFileSizeAndAddressSpace(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		write := []string{"/bin/sh", "-c", "exec dd if=/dev/zero of=/tmp/file bs=64k count=64"}
		run := start(t, at, `"limits":{"fileSize":"1M"}`, write...)
		if run.Ran(); run.Exited.Cause != order.CauseSignal || run.Exited.Signal != "SIGXFSZ" {
			t.Errorf("%+v\n%s", run.Exited, &run.Stderr)
		}
		reserve := []string{"/bin/dd", "if=/dev/null", "of=/dev/null", "bs=128M", "count=1"}
		run = start(t, at, `"limits":{"addressSpace":"64M","memory":"unlimited"}`, reserve...)
		if run.Ran(); run.Code != 1 || !strings.Contains(run.Stderr.String(), "memory exhausted") {
			t.Errorf("code %d\n%s", run.Code, &run.Stderr)
		}
		for _, command := range [][]string{write, reserve} {
			run = start(t, at, `"limits":{"memory":"unlimited"}`, command...)
			if run.Ran(); run.Code != 0 {
				t.Errorf("control: code %d\n%s", run.Code, &run.Stderr)
			}
		}
	})
}
