package places_test

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A place is where a launch of level standard comes to want, and doctor says so.
type place struct {
	name string
	way  way
	want policy.Confinement
	weak policy.Confinement // with minConfinement limits, where the first is refused

	strong bool // with minConfinement full it starts in full

	check   string // the doctor's line that tells why, and parts of it
	detail  string
	state   launcher.CheckState // if it matters
	fix     string
	warning string // part of what the launcher says on standard error
	hint    string // part of what a refusal says to do
}

func places() []place {
	const ns, full, reduced = "User namespaces", policy.Full, policy.Reduced
	// Root of a container whose engine was an ordinary user has one id, which is that user's. In a namespace of its
	// own that id gets another name; without one the server is root of the container, and not of the machine.
	rootless := os.Geteuid() != 0
	noUserNS := unshared("echo 0 >/proc/sys/user/max_user_namespaces")
	return []place{
		{name: "an ordinary user", way: user, want: full, check: ns, detail: "usable"},
		{name: "root", way: root, want: full, check: ns, detail: "usable"},

		{name: "user namespaces forbidden, ENOSPC", way: then(user, noUserNS), want: reduced, check: ns, detail: "user.max_user_namespaces is 0", fix: "sysctl -w user.max_user_namespaces"},
		{name: "user namespaces forbidden, EPERM", way: then(user, sealed("userns")), want: reduced, check: ns, detail: "EPERM"},
		{name: "as Ubuntu 24.04, mounts refused", way: then(user, sealed("mounts")), want: reduced, check: ns, detail: "can be made and not used"},
		{name: "as Ubuntu 24.04, lo refused", way: then(user, sealed("lo")), want: reduced, check: ns, detail: "refused (ioctl lo"},
		{name: "as Ubuntu 24.04, maps refused", way: then(user, unshared("mount -o remount,bind,ro /proc", "--mount")), want: reduced, check: ns, detail: "read-only file system"},

		{name: "a container's user", way: in(container{uid: 1000}), want: reduced, check: ns, detail: "EPERM", fix: "mount_setattr"},
		{name: "a restricted Pod's user", way: in(container{uid: 1000, restricted: true}), want: reduced, check: ns, detail: "EPERM"},
		{name: "a container's user, unfiltered", way: in(container{uid: 1000, unfiltered: true}), want: reduced, strong: true, check: ns, detail: "no /proc of its own", fix: "unmask=ALL", warning: "/proc"},
		{name: "a container's user, unfiltered and unmasked", way: in(container{uid: 1000, unfiltered: true, unmasked: true}), want: full, check: ns, detail: "usable"},
		{name: "a container's root", way: in(container{caps: rootCaps}), want: reduced, check: ns},
		{name: "a container's root, unfiltered", way: in(container{caps: rootCaps, unfiltered: true}), want: reduced, strong: rootless, check: ns},

		{name: "root of a user's own namespace", way: then(user, alone("0")), want: full, check: "Rlimits", detail: "supported", state: launcher.Works},
		{name: "the machine's root, alone", way: then(root, alone("0"), sealed("userns")), want: "", check: ns, hint: "as an ordinary user"},
		{name: "the machine's root, alone and under another number", way: then(root, alone("1000"), alone("0"), sealed("userns")), want: "", check: ns, hint: "as an ordinary user"},
		{name: "the machine's root, under another number", way: then(root, alone("1000"), sealed("userns")), want: "", check: ns, hint: "as an ordinary user"},
		{name: "the machine's root, under another number, unfiltered", way: then(root, alone("1000")), want: full, check: "Rlimits", detail: "user 0 of the machine"},
		{name: "a user whose number is that of nobody", way: then(user, alone("65534"), sealed("userns")), want: reduced, check: ns},
		{name: "the machine's root, under the number of nobody", way: then(root, alone("65534"), sealed("userns")), want: "", check: ns, hint: "as an ordinary user"},

		{name: "inside our own sandbox", way: then(user, own), want: reduced, check: ns, detail: "EPERM"},
		{name: "inside bubblewrap", way: then(user, bubblewrapped), want: full, check: ns, detail: "usable"},

		{name: "no Landlock", way: then(user, sealed("landlock")), want: full, check: "Landlock", detail: "switched off at boot", fix: "lsm="},
		{name: "Landlock refused by a filter", way: then(user, sealed("landlock, by a filter")), want: full, check: "Landlock", detail: "EPERM: refused by the seccomp filter", fix: "landlock_restrict_self", warning: "refuses Landlock"},
		{name: "no Landlock and no user namespaces", way: then(user, sealed("landlock"), sealed("userns")), want: "", weak: policy.ConfinementLimits, check: "Landlock", detail: "switched off at boot", hint: "lsm="},
		{name: "no seccomp", way: then(user, sealed("seccomp")), want: "", weak: policy.ConfinementLimits, check: "Seccomp", detail: "no filter can be loaded: ENOSYS", hint: "CONFIG_SECCOMP_FILTER"},
		{name: "no network namespace", way: then(user, sealed("netns")), want: reduced, check: ns, detail: "no network of its own"},
		{name: "no network namespace, ENOSPC", way: then(user, unshared("echo 0 >/proc/sys/user/max_net_namespaces")), want: reduced, check: ns, detail: "user.max_net_namespaces is 0"},
		{name: "the listener is taken", way: then(user, sealed("listener")), want: full, check: "Seccomp", detail: "EBUSY"},
		// Options of systemd.exec(5), by the filter and the mounts that they stand for.
		{name: "RestrictSUIDSGID=", way: then(user, sealed("openat2")), want: reduced, check: ns, detail: "openat2", fix: "RestrictSUIDSGID=no", warning: "RestrictSUIDSGID=no"},
		{name: "RestrictAddressFamilies= without AF_NETLINK", way: then(user, sealed("netlink")), want: reduced, check: ns, detail: "address family not supported", fix: "AF_NETLINK", warning: "AF_NETLINK"},
		{name: "SystemCallFilter=~@mount", way: then(user, sealed("@mount")), want: reduced, check: ns, detail: "SIGSYS", fix: "@mount", warning: "@mount"},
		{name: "SystemCallFilter=~@mount, root", way: then(root, sealed("@mount")), want: reduced, check: ns, detail: "SIGSYS", fix: "@mount", warning: "@mount"},
		{name: "SystemCallFilter=~move_mount", way: then(user, sealed("one")), want: reduced, check: ns, detail: "move_mount: killed by SIGSYS", warning: "move_mount"},
		{name: "SystemCallFilter=~@mount, with an errno of one's own", way: then(user, sealed("odd")), want: reduced, check: ns, detail: "structure needs cleaning"},
		{name: "an argument that kills", way: then(user, sealed("late")), want: reduced, check: ns, detail: "SIGSYS"},
		{name: "a clone that kills", way: then(user, sealed("clone")), want: reduced, check: ns, detail: "SIGSYS"},
		{name: "SystemCallFilter=~@keyring", way: then(user, sealed("@keyring")), want: full, check: ns, detail: "usable"},
		{name: "SystemCallFilter=@system-service", way: then(user, sealed("@system")), want: "", weak: policy.ConfinementLimits, check: "Landlock", detail: "SIGSYS", fix: "SystemCallFilter=", hint: "@sandbox"},
		{name: "ProtectProc=invisible", way: then(user, unshared("mount -t proc -o hidepid=invisible proc /proc", "--mount", "--pid", "--fork")), want: full, check: ns, detail: "usable"},
		{name: "ProtectProc=noaccess", way: then(user, unshared("mount -t proc -o hidepid=noaccess proc /proc", "--mount", "--pid", "--fork")), want: full, check: ns, detail: "usable"},
		{name: "ProtectProc=ptraceable", way: then(user, unshared("mount -t proc -o hidepid=ptraceable proc /proc", "--mount", "--pid", "--fork")), want: full, check: ns, detail: "usable"},
		{name: "ProtectProc=invisible, no /proc of its own", way: then(user, unshared("mount -t proc -o hidepid=invisible proc /proc\nmount --bind /proc/sys /proc/sys\nmount -o remount,bind,ro /proc/sys", "--mount", "--pid", "--fork")), want: reduced, check: ns, detail: "mountinfo", fix: "ProtectProc=", warning: "ProtectProc="},

		{name: "in a chroot", way: then(user, chrooted), want: reduced, check: ns, detail: "chroot", fix: "bwrap"},
		{name: "/proc/sys is read-only", way: then(user, unshared("mount --bind /proc/sys /proc/sys\nmount -o remount,bind,ro /proc/sys", "--mount")), want: reduced, strong: true, check: ns, detail: "no /proc of its own", fix: "ProtectKernelTunables=no"},
		{name: "/proc/sys is read-only, and no Landlock", way: then(user, unshared("mount --bind /proc/sys /proc/sys\nmount -o remount,bind,ro /proc/sys", "--mount"), sealed("landlock")), want: full, check: ns, detail: "no /proc of its own"},
		{name: "/dev/tty cannot be opened", way: then(user, unshared("mount --bind /dev/console /dev/tty", "--mount")), want: full, check: ns, detail: "usable", warning: "no terminal is shown"},
		{name: "/proc of another pid namespace", way: then(user, unshared("", "--pid", "--fork")), want: "", check: ns, detail: "another pid namespace", fix: "mount -t proc"},
		{name: "/proc of another pid namespace, no user namespaces", way: then(user, unshared("", "--pid", "--fork"), sealed("userns")), want: "", check: ns, detail: "another pid namespace", fix: "mount -t proc"},
		{name: "a hard limit below the policy's", way: then(user, limited("-n 200")), want: full, check: "Rlimits", detail: "open files 200", fix: "LimitNOFILE"},
	}
}

// In every place the launch reaches what is expected there, doctor says the same, and the barrier holds.
func TestPlaces(t *testing.T) {
	for _, p := range places() {
		t.Run(p.name, func(t *testing.T) {
			a := p.account(t)
			p.compare(t, a)
			p.doctor(t, &a.Doctor)
			p.barrier(t, a)
		})
	}
}

func (p *place) account(t *testing.T) *account {
	t.Helper()
	h := newHouse(t)
	words := p.way(h, []string{h.self, residentArg, h.bin})
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/nonexistent"}
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	a := new(account)
	if json.Unmarshal(out, a) != nil || a.Problem != "" {
		t.Fatalf("no account: %v %s\n%s%s\n%q", err, a.Problem, out, errs.String(), words)
	}
	return a
}

// compare holds what was reached against what was expected, and doctor against both.
func (p *place) compare(t *testing.T, a *account) {
	reached, said := policy.Confinement(""), a.Stderr
	if a.Report != nil {
		reached = policy.Confinement(a.Report.Confinement)
	}
	if reached != p.want {
		t.Errorf("reached %q, want %q: %s%+v", reached, p.want, a.Stderr, a.Refused)
	}
	if started := a.Report != nil; started != (a.Exit == 0) || started != (a.Code == 0) || a.Code > 1 || !started && a.Exit != 125 {
		t.Errorf("the launch exits with %d, doctor with %d: %s", a.Exit, a.Code, a.Stderr)
	}
	if reached == "" {
		if a.Refused == nil || p.weak != "" && a.Refused.Hint == "" || !strings.Contains(a.Refused.Hint, p.hint) {
			t.Errorf("want the hint %q: %+v", p.hint, a.Refused)
		}
		if reached = policy.None; a.Weak.Report != nil {
			reached, said = policy.Confinement(a.Weak.Report.Confinement), a.Weak.Stderr
		}
		if want := p.weak; want != "" && reached != want || want == "" && reached != policy.None {
			t.Errorf("with minConfinement limits reached %q, want %q: %s", reached, want, a.Weak.Stderr)
		}
	}
	if full := a.Full.Report != nil; full != (p.want == policy.Full || p.strong) || full != (a.Full.Exit == 0) || !full && a.Full.Exit != 125 {
		t.Errorf("with minConfinement full: exit status %d: %s", a.Full.Exit, a.Full.Stderr)
	}
	if a.Doctor.Confinement != reached {
		t.Errorf("doctor says %q, a launch reaches %q", a.Doctor.Confinement, reached)
	}
	p.warns(t, a, reached, said)
}

// warns holds what was lost, which is one line on standard error, and in the report a warning with the remedy. What a layer
// lacks and no confinement does is in the report alone.
func (p *place) warns(t *testing.T, a *account, reached policy.Confinement, said string) {
	t.Helper()
	report := cmp.Or(a.Report, a.Weak.Report, new(order.Enforced))
	if reached == policy.Reduced || reached == policy.ConfinementLimits {
		line, _, _ := strings.Cut(said, "\n")
		if !strings.HasPrefix(line, "mcp-sandbox: confinement "+string(reached)+": ") || !strings.HasSuffix(line, "(mcp-sandbox doctor has the fix)") {
			t.Errorf("want the confinement first: %s", said)
		}
		weaker := "the confinement is " + string(reached) + " and no stronger one: "
		if !slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.HasPrefix(w, weaker) && strings.HasSuffix(w, ")") }) {
			t.Errorf("want %q with a remedy: %q", weaker, report.Warnings)
		}
	}
	texts := slices.Clone(report.Warnings)
	for _, l := range report.Layers {
		texts = append(texts, l.Reason, l.Effect)
		for _, f := range l.Facts {
			texts = append(texts, f.Reason, f.Effect)
		}
	}
	if p.warning != "" && !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, p.warning) }) {
		t.Errorf("want %q: %q", p.warning, texts)
	}
}

// doctor holds the line that tells why.
func (p *place) doctor(t *testing.T, m *launcher.Machine) {
	found := false
	for _, c := range m.Checks {
		t.Logf("%s: %s: %s\nfix: %s", c.Name, c.State, c.Detail, c.Fix)
		if c.Name != p.check {
			continue
		}
		found = true
		if p.state != "" && c.State != p.state || !strings.Contains(c.Detail, p.detail) || !strings.Contains(c.Fix, p.fix) {
			t.Errorf("want %q, %q: %+v", p.detail, p.fix, c)
		}
	}
	if !found {
		t.Errorf("no check %q: %+v", p.check, m.Checks)
	}
}

// barrier: what is granted works inside, and what is not is refused there and works outside.
func (p *place) barrier(t *testing.T, a *account) {
	if len(a.Outside) != acts {
		t.Fatalf("outside: %+v", a.Outside)
	}
	for _, r := range a.Outside {
		if !r.OK {
			t.Errorf("the control fails: %+v", r)
		}
	}
	if p.want == "" {
		if p.weak == "" && len(a.Inside) > 0 {
			t.Errorf("refused, and the server ran: %+v", a.Inside)
		}
		return
	}
	if len(a.Inside) != acts {
		t.Fatalf("inside: %+v", a.Inside)
	}
	for i, r := range a.Inside {
		if granted := i == readGranted || i == writeGranted; r.OK != granted {
			t.Errorf("inside: %+v", r)
		}
	}
}
