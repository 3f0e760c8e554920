package shim_test

import (
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// A running server, looked at from outside and compared with what the report claimed of it.
type running struct {
	*testing.T
	order.Enforced
	dir string // its folder in the shim's /proc
}

// What the kernel says of a sleeping server is what the report said, and there is nothing else.
func TestPostureFromOutside(t *testing.T) {
	for _, d := range altered.Documents {
		t.Run(d.Name, func(t *testing.T) {
			s := build(t, d.Below)
			l := s.Launch(d.Text, "")
			l.Command = []string{"/bin/sleep", "600"}
			cmd, under, done := altered.Start(t, l, nil)
			defer func() {
				cmd.Process.Signal(unix.SIGKILL)
				done()
			}()
			r := &running{T: t, Enforced: under.Began()}
			r.dir = "/proc/" + strconv.Itoa(r.PID)
			r.executed("/bin/sleep")
			r.status(d.Text)
			r.limits()
			r.descriptors()
			if altered.Begin(d.Text) == "" {
				r.namespaces()
				r.mounts()
				r.root(s)
			} else {
				r.sharedNamespaces()
			}
			r.environment(s)
		})
	}
}

// executed waits until the server's process has become the server: the report comes before.
func (r *running) executed(command string) {
	for range 20000 { // milliseconds and more
		if r.read("comm") == path.Base(command)+"\n" && r.read("environ") != "" { // execve(2) sets the name first
			return
		}
		unix.Poll(nil, 1)
	}
	r.Fatal("never executed")
}

func (r *running) read(name string) string {
	b, err := os.ReadFile(r.dir + "/" + name)
	if err != nil {
		r.Fatal(err)
	}
	return string(b)
}

// fields are the lines of a file of the form "Name: value".
func fields(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		all[name] = strings.Join(strings.Fields(value), " ")
	}
	return all
}

func (r *running) status(doc string) {
	own, err := os.ReadFile("/proc/self/status")
	if err != nil {
		r.Fatal(err)
	}
	mine, got := fields(string(own)), fields(r.read("status"))
	uid, gid, groups := strconv.Itoa(os.Getuid()), strconv.Itoa(os.Getgid()), mine["Groups"]
	if os.Getuid() == 0 {
		uid, gid, groups = "65533", "65533", ""
	}
	umask := "0027" // the shim's
	if strings.Contains(doc, `"umask":"0026"`) {
		umask = "0026"
	}
	four := func(s string) string { return strings.Join([]string{s, s, s, s}, " ") }
	none := strings.Repeat("0", 16)
	bounding, shared := none, r.Confinement != "full"
	if shared && os.Getuid() != 0 {
		bounding = mine["CapBnd"] // nobody but root can empty it, and no_new_privs keeps it from being of use
	}
	inside := func(pid string) string {
		if shared {
			return ""
		}
		return pid
	}
	for what, want := range map[string]string{
		"CapInh": none, "CapPrm": none, "CapEff": none, "CapBnd": bounding, "CapAmb": none,
		"NoNewPrivs": "1", "Seccomp": "2", "Seccomp_filters": "1", "Umask": umask, "Uid": four(uid), "Gid": four(gid),
		"Groups": groups, "NSpid": strconv.Itoa(r.PID) + inside(" 2"), "SigBlk": none, "SigCgt": none, "Threads": "1", "TracerPid": "0",
	} {
		if got[what] != want {
			r.Errorf("%s is %q, want %q", what, got[what], want)
		}
	}
	stat := strings.Fields(r.read("stat"))
	ppid, session, tty := stat[3], stat[5], stat[6]
	terminal, leader := strings.Contains(doc, altered.FromTerminal), ppid
	if shared && !terminal {
		leader = strconv.Itoa(r.PID)
	}
	if session != leader || (tty != "0") != terminal {
		r.Errorf("session %s, terminal %s; init is %s", session, tty, ppid)
	}
	for _, file := range []string{"uid_map", "gid_map"} {
		id := map[string]string{"uid_map": uid, "gid_map": gid}[file]
		own, _ := os.ReadFile("/proc/self/" + file)
		if m := strings.Join(strings.Fields(r.read(file)), " "); m != id+" "+id+" 1" && (!shared || r.read(file) != string(own)) {
			r.Errorf("%s is %q", file, m)
		}
	}
	if os.Getuid() != 0 && !shared && r.read("setgroups") != "deny\n" {
		r.Error("setgroups is allowed")
	}
	init, err := os.ReadFile("/proc/" + ppid + "/status")
	if err != nil {
		r.Fatal(err)
	}
	f := fields(string(init))
	if f["CapEff"]+f["CapPrm"]+f["CapInh"]+f["CapAmb"] != strings.Repeat(none, 4) || f["CapBnd"] != bounding || f["NoNewPrivs"] != "1" ||
		f["NSpid"] != ppid+inside(" 1") || f["Uid"] != four(uid) || f["Groups"] != groups {
		r.Errorf("init:\n%s", init)
	}
}

// fact is what the report claims to have found, and whether it claims it.
func (r *running) fact(layer order.Layer, name string) (string, bool) {
	for _, l := range r.Layers {
		for _, f := range l.Facts {
			if l.Layer == layer && f.Name == name {
				return f.Got, true
			}
		}
	}
	return "", false
}

func (r *running) namespaces() {
	for _, name := range platform.NamespaceNames() {
		link, err := os.Readlink(r.dir + "/ns/" + name)
		own, _ := os.Readlink("/proc/self/ns/" + name)
		if err != nil {
			r.Fatal(err)
		}
		claimed, made := r.fact(order.Namespaces, name)
		if !made && name == "net" && r.Level == "network" {
			if link != own {
				r.Errorf("net is %s, and %s was asked for", link, own)
			}
			continue
		}
		if link == own || link != name+":["+claimed+"]" {
			r.Errorf("%s is %s, the launcher's %s, claimed %q", name, link, own, claimed)
		}
	}
}

// limits: those of the policy as it says, all others as the launcher had them.
func (r *running) limits() {
	claims := map[string]string{"Max core file size": "core", "Max data size": "data", "Max address space": "address space",
		"Max file size": "file size", "Max open files": "open files", "Max processes": "processes",
		"Max pending signals": "pending signals", "Max msgqueue size": "message queues"}
	own, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		r.Fatal(err)
	}
	inherited := limitLines(string(own))
	got := limitLines(r.read("limits"))
	for name, l := range got {
		claimed, made := r.fact(order.Limits, claims[name])
		if made && claimed != "" {
			if l != [2]string{claimed, claimed} {
				r.Errorf("%s is %q, claimed %s", name, l, claimed)
			}
			continue
		}
		if l != inherited[name] {
			r.Errorf("%s is %q, the launcher's %q", name, l, inherited[name])
		}
	}
	if len(got) != 16 {
		r.Errorf("%d limits", len(got))
	}
}

// limitLines reads proc_pid_limits(5), whose names have spaces in them: columns start at 0 and 26.
func limitLines(text string) map[string][2]string {
	all := map[string][2]string{}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line[26:]); !strings.HasPrefix(line, "Limit ") {
			all[strings.TrimSpace(line[:26])] = [2]string{f[0], f[1]}
		}
	}
	return all
}

// descriptors: only the first three, once the loader of the server has closed its libraries.
func (r *running) descriptors() {
	var names []string
	for range 20000 {
		entries, err := os.ReadDir(r.dir + "/fd")
		if err != nil {
			r.Fatal(err)
		}
		names = names[:0]
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if strings.Join(names, " ") == "0 1 2" {
			return
		}
		unix.Poll(nil, 1)
	}
	r.Errorf("descriptors %v", names)
}
