package repocheck

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An effect is a call that changes the whole process, and the folders of init whose packages may make it. Other packages can run
// several times side by side in a host's process.
type effect struct {
	name  string
	calls *regexp.Regexp
	in    string // folders, between spaces
}

// The shims: what they do to their process is their own matter.
const shims = "init/reexec init/internal/supervise/shim init/internal/limitsonly"

var effects = []effect{
	{"the end of the process", regexp.MustCompile(`\b(os|unix|syscall)\.Exit\(`), shims + " init/internal/confine/seccomp/gen"},
	{"the working folder", regexp.MustCompile(`\b(os|unix)\.F?[Cc]hdir\(`), shims},
	{"the environment", regexp.MustCompile(`\bos\.(Setenv|Unsetenv|Clearenv)\(`), shims},
	{"the umask", regexp.MustCompile(`\bunix\.Umask\(`), "init/internal/limitsonly"},
	{"descriptors by number", regexp.MustCompile(`\bunix\.Dup[23]\(`), shims},
	{"signal handlers", regexp.MustCompile(`\bsignals?\.(Open|Catch|Ignore|Without|StopGroup|StopSelf|Notify)\(`), shims},
	// package coverwatch asks for SIGIO, which the shim catches; what package signals stops is the shim
	{"a signal to the process", regexp.MustCompile(`\bunix\.F_NOTIFY, |\bunix\.(Kill|Tgkill)\((0|unix\.Getpid\(\)),|\bplatform\.WakeAt\(`),
		shims + " init/internal/supervise/coverwatch init/internal/supervise/signals"},
	{"the writes of package platform", regexp.MustCompile(`\bplatform\.WithoutSendmsg\(`), shims},
	{"the scheduling", regexp.MustCompile(`\bunix\.SchedSetAttr\(`), shims},
	// package program blocks signals in the thread that starts a runner, and package loop SIGPIPE in one that serves a launch, for
	// as long as that takes
	{"the signal mask", regexp.MustCompile(`\bunix\.PthreadSigmask\(`), "init/internal/supervise/signals init/internal/confine/program init/internal/loop"},
	{"all children", regexp.MustCompile(`\b(unix|syscall)\.Wait4\(-1\b`), shims},
	{"the parent of orphans", regexp.MustCompile(`\bplatform\.SetChildSubreaper\(`), shims},
	{"attributes of the process", regexp.MustCompile(`\bunix\.Prctl\(`), shims},
	{"the session", regexp.MustCompile(`\bunix\.(Setsid|Setpgid)\(|TIOCNOTTY\b.*\)|TIOCSCTTY\b.*0\)$`), shims + " init/internal/confine/layers"},
	{"limits of the process", regexp.MustCompile(`\b(unix|syscall)\.Setrlimit\(`), shims},
	// package coverwatch locks a goroutine of its own while it starts a runner
	{"threads", regexp.MustCompile(`\bruntime\.LockOSThread\(`), shims + " init/internal/supervise/signals init/internal/loop init/internal/supervise/coverwatch"},
}

// Only the shims change what belongs to the whole process.
func TestEffects(t *testing.T) {
	found := map[string]bool{}
	for _, name := range files(t) {
		if !below(name, "init") || below(name, testOnly) || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root(t), name))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			line, _, _ = strings.Cut(line, "//")
			for _, e := range effects {
				if !e.calls.MatchString(line) {
					continue
				}
				found[e.name] = true
				if !slices.ContainsFunc(strings.Fields(e.in), func(dir string) bool { return below(path.Dir(name), dir) }) {
					t.Errorf("%s:%d changes %s of the whole process: %s", name, i+1, e.name, strings.TrimSpace(line))
				}
			}
		}
	}
	for _, e := range effects {
		if !found[e.name] && e.name != "the environment" && e.name != "limits of the process" {
			t.Errorf("nothing changes %s: the expression finds nothing", e.name)
		}
	}
}
