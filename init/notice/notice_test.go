package notice

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// However long a name is, and whatever is in it, a line stays one of at most 200 columns that a terminal only prints,
// or becomes two for the flag.
func TestLinesAreLines(t *testing.T) {
	for _, n := range []string{"x", strings.Repeat("/long", 100), "/a\x1b[2J\nb\u202e\xff", strings.Repeat("\x1b", 100)} {
		many := slices.Repeat([]string{n}, 40)
		x := &order.Exited{ExitCode: 1, Cause: order.CauseExit}
		end := End{Exited: x, After: time.Second, Policy: &policy.Policy{}}
		first := &order.Enforced{Notices: []order.Notice{{Kind: order.NoticeEnv, Name: n}, {Kind: order.NoticeArgument, Name: n}, {Kind: order.NoticeCwd, Name: n}}}
		for i, text := range []string{
			Variables(many), Variables(slices.Repeat([]string{"V_TOKEN"}, 99999)), Variables(many[:1]), Argument(n, Offer("--allow-read", n, 64), true), HomeArgument(n, Offer("--allow-read", n, 64)), NotGranted(n, n, n, "--allow-write"), NotAllowed(n, n, "--allow-domain HOST:PORT"), NotSet(n, n), Variable(n, "--allow-read", true), Cwd(n, n, Offer("--allow-read", n, 66)), Cwd(n, "/", Offer("--allow-read", n, 66)), Fetches(n, "--allow-domain a.example"), FetchHangs(n, "--allow-domain a.example"),
			Protected(n), Withheld(n, ""), Granted(n, Offer("--allow-write", n, 64)), Withheld(n, ""), Lowered(policy.Reduced, policy.Standard, n), NothingHolds(many), Appeared(n, 3), Refused(n, n), Refused(n, ""), Forks(60, n), NotSearched(n),
			Unmade(n, n), Unmade(n, ""), UnmadeVariable(n), UnmadeInStrict(n), Passing(n, false), Single(n, n), Single(n, ""), Held(1, n, n, n, true), Held(9, n, n, n, false), WholeGrant(n, n), InStrict(n, 0), InStrict(n, 7),
			Apart(n, n, n), Apart(n, n, ""), LinksOut(n, n, 2), Daemon(n, n), Reference(n, "~/..."), Reference(n, "op://..."), AgentVariable(n, n),
			NotWritten(1, errors.New(n)), Timeout(time.Hour, n), Memory(1<<20, n), Denied([]order.DeniedCount{{Act: order.Act{Kind: order.DeniedSyscall, Syscall: n}, Count: 1}}),
			Limits([]order.Named{{Key: "limits.memory", Written: n}}, &order.Enforced{Layers: []order.LayerReport{{Layer: order.Cgroup, State: order.Absent}}}),
			end.Line(&order.Order{Command: []string{n}, Flags: order.Flags{Guided: true}}, first),
			Why(3, n, nil), Why(1, "", []order.Act{{Path: n}, {Host: n, Port: 1}, {Kind: order.DeniedUDP, Host: n}}),
			Killed, KilledServer, CPUTime, MachineMemory, SessionOver, Unread, NothingConfined, NoBarrier("Linux virtual machine or container"),
		} {
			most := Width
			if strings.HasSuffix(text, ")") { // a flag, to which Fit gives a line of its own
				most *= 2
			}
			if utf8.RuneCountInString(text) > most || text == "" || !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\n\u202e") {
				t.Errorf("%d: %d columns: %q", i, utf8.RuneCountInString(text), text)
			}
		}
	}
}

// Each kind of notice has its place, but for those that the line at the end is made of, and for what is protected.
func TestGravity(t *testing.T) {
	kinds := gravity()
	for _, k := range []order.NoticeKind{order.NoticeEnv, order.NoticeArgument, order.NoticeCwd, order.NoticeNetwork, order.NoticeProfile, order.NoticeProxy,
		order.NoticeDaemon, order.NoticeReference, order.NoticeLost, order.NoticeSingle, order.NoticeHeld, order.NoticeApart, order.NoticeLinks} {
		if !slices.Contains(kinds[:], k) {
			t.Errorf("%s has no place", k)
		}
		if kinds := " env argument cwd network profile protected "; !strings.Contains(kinds, " "+string(k.Reported())+" ") {
			t.Errorf("%s is %s in the report", k, k.Reported())
		}
	}
	var notices []order.Notice
	for _, k := range slices.Backward(kinds[:]) {
		notices = append(notices, order.Notice{Kind: k, Line: string(k)})
	}
	notices = append(notices, order.Notice{Kind: order.NoticeProxy, Line: "proxy, the second"}, order.Notice{Kind: order.NoticeBehind}, order.Notice{Kind: order.NoticeUnset})
	want := []string{"proxy", "proxy, the second", "daemon", "single", "lost"}
	if got := AtStart(&order.Order{}, &order.Enforced{Notices: notices}, nil); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A launch that gives its server everything says nothing; of the rest each thing has its line.
func TestAtStart(t *testing.T) {
	absent := []order.LayerReport{{Layer: order.Cgroup, State: order.Absent, Reason: "none here"}, {Layer: order.Landlock, State: order.Absent}}
	named := order.Guide{Named: []order.Named{{Key: "limits.memory", Written: "--memory"}, {Key: "limits.cpu", Written: "limits.cpu"}}}
	var notices []order.Notice
	for range 7 {
		notices = append(notices, order.Notice{Kind: order.NoticeArgument, Line: "argument"})
	}
	protected := []order.Notice{{Kind: order.NoticeProtected, Line: "protected"}, {Kind: order.NoticeEnv}}
	for _, c := range []struct {
		name     string
		flags    order.Flags
		guide    order.Guide
		enforced order.Enforced
		lowered  []string
		want     []string
	}{
		{"nothing", order.Flags{}, order.Guide{}, order.Enforced{Layers: absent, Warnings: []string{"a warning"}}, nil, nil},
		{"a limit", order.Flags{}, named, order.Enforced{Layers: absent}, nil,
			[]string{"--memory holds for each process, not for all together; limits.cpu does not hold: no control group can be made here (mcp-sandbox doctor says how)"}},
		{"less", order.Flags{}, order.Guide{}, order.Enforced{}, []string{"lowered"}, []string{"lowered"}},
		{"five", order.Flags{}, order.Guide{}, order.Enforced{Notices: notices}, nil, slices.Repeat([]string{"argument"}, 5)},
		{"protected", order.Flags{}, order.Guide{}, order.Enforced{Notices: protected}, nil, nil},
		{"quiet", order.Flags{Quiet: true, Verbose: true}, named, order.Enforced{Layers: absent, Notices: notices}, []string{"lowered"}, nil},
		{"verbose", order.Flags{Verbose: true}, named, order.Enforced{Level: "standard", Confinement: "full", MinConfinement: "full", PID: 7,
			Layers: absent[:1], Notices: protected, Warnings: []string{"a warning"}}, []string{"lowered"},
			[]string{"confinement full (at least full was asked for), level standard, process 7", "cgroup is absent: none here; ", "a warning", "protected"}},
	} {
		if got := AtStart(&order.Order{Flags: c.flags, Guide: c.guide}, &c.enforced, c.lowered); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q\nwant %q", c.name, got, c.want)
		}
	}
}

// What is held in a lower confinement is said as it is.
func TestLowered(t *testing.T) {
	for _, c := range []struct {
		confinement policy.Confinement
		level       policy.Level
		want        string
	}{
		{policy.Reduced, policy.Standard, "files and network are held"},
		{policy.Reduced, policy.Strict, "files and network are held"},
		{policy.Reduced, policy.LevelNetwork, "files are held"},
		{policy.ConfinementLimits, policy.Standard, "files and network are not held"},
		{policy.ConfinementLimits, policy.LevelNetwork, "files and network are not held"},
	} {
		want := "confinement " + string(c.confinement) + ": this machine refused user namespaces; " + c.want + " (mcp-sandbox doctor has the fix)"
		if got := Lowered(c.confinement, c.level, "user namespaces"); got != want {
			t.Errorf("level %s: %q, want %q", c.level, got, want)
		}
	}
}

// A limit that holds otherwise is no line.
func TestLimits(t *testing.T) {
	named := func(keys ...string) (all []order.Named) {
		for _, k := range keys {
			all = append(all, order.Named{Key: "limits." + k, Written: "--" + k})
		}
		return all
	}
	whole := order.LayerReport{Layer: order.Cgroup, State: order.Proved, Facts: []order.Fact{{Name: "memory.max", Got: "1"}, {Name: "io.max", Reason: "no disk"}}}
	processes := order.LayerReport{Layer: order.Limits, State: order.Proved, Facts: []order.Fact{{Name: "processes", Got: "9"}}}
	for _, c := range []struct {
		named  []order.Named
		layers []order.LayerReport
		want   string
	}{
		{named("memory", "timeout", "openFiles"), []order.LayerReport{whole}, ""},
		{named("io"), []order.LayerReport{whole}, "--io does not hold: no disk (mcp-sandbox doctor says more)"},
		{named("pids"), []order.LayerReport{{Layer: order.Cgroup, State: order.Absent}, processes}, ""},
		{named("pids"), []order.LayerReport{{Layer: order.Cgroup, State: order.Absent}}, "--pids does not hold: " + noGroup},
		{named("timeout"), []order.LayerReport{{Layer: order.Cgroup, State: order.Absent}}, ""},
	} {
		if got := Limits(c.named, &order.Enforced{Layers: c.layers}); got != c.want {
			t.Errorf("%v: %q, want %q", c.named, got, c.want)
		}
	}
}

// The line at the end says how the server ended and what it was not given, each name once.
func TestEarlyEnd(t *testing.T) {
	guided := &order.Order{Dropped: []string{"DATABASE_URL", "HOME_PAGE", "NOTION_TOKEN", "SSH_AUTH_SOCK"}, Flags: order.Flags{Guided: true}}
	first := &order.Enforced{Notices: []order.Notice{{Kind: order.NoticeEnv, Name: "NOTION_TOKEN"}, {Kind: order.NoticeCwd, Name: "/w"}, {Kind: order.NoticeArgument, Name: "/a"}}}
	exit := order.Exited{Cause: order.CauseExit, ExitCode: 3}
	for _, c := range []struct {
		name  string
		order *order.Order
		x     order.Exited
		after time.Duration
		want  string
	}{
		{"early", guided, exit, 300 * time.Millisecond, "the server ended with 3 after 0.3 s. Not given to it: " +
			"variables NOTION_TOKEN, DATABASE_URL (--env); working folder; argument /a"},
		{"a signal", guided, order.Exited{Cause: order.CauseSignal, Signal: "SIGSEGV", ExitCode: 139}, time.Second, "the server was ended by SIGSEGV after 1.0 s. Not given to it: " +
			"variables NOTION_TOKEN, DATABASE_URL (--env); working folder; argument /a"},
		{"late", guided, exit, Early, ""},
		{"well", guided, order.Exited{Cause: order.CauseExit}, 0, ""},
		{"of another program", &order.Order{}, exit, 0, ""},
		{"asked to end", guided, order.Exited{Cause: order.CauseCancelled, ExitCode: 143}, 0, ""},
		{"killed", guided, order.Exited{Cause: order.CauseSignal, Signal: "SIGKILL", ExitCode: 137}, time.Hour, KilledServer},
		{"supervisor", guided, order.Exited{Cause: order.CauseSupervisorLost, Signal: "SIGKILL"}, 0, Killed},
	} {
		end := End{Exited: &c.x, After: c.after, Policy: &policy.Policy{}}
		if got := end.Line(c.order, first); got != c.want {
			t.Errorf("%s: %q\nwant %q", c.name, got, c.want)
		}
	}
}

// What something tells of comes first, three causes at most; without any the status is all that is said.
func TestCauses(t *testing.T) {
	first := &order.Enforced{Notices: []order.Notice{{Kind: order.NoticeProtected, Name: "/p/.git", Flag: "--allow-write /p/.git"}, {Kind: order.NoticeArgument, Name: "/a"}}}
	for _, c := range []struct {
		name, command string
		x             order.Exited
		found         Found
		policy        string
		want          string
	}{
		{"nothing", "", order.Exited{}, Found{}, `{}`, ""},
		{"network", "", order.Exited{}, Found{Network: true}, `{}`, "network (--allow-domain HOST)"},
		{"private files", "", order.Exited{}, Found{Files: true}, `{"filesystem":{"tmpSize":"4M"}}`, "more than 4M of private files (--tmp-size)"},
		{"both", "", order.Exited{}, Found{Files: true, Network: true}, `{}`, "more than 1G of private files (--tmp-size); network (--allow-domain HOST)"},
		{"processes", "", order.Exited{ForksRefused: 1}, Found{}, `{"limits":{"pids":9}}`, "more than 9 processes (--pids)"},
		{"an assertion", "/h/p/f.json", order.Exited{Signal: "SIGABRT"}, Found{Network: true}, `{"filesystem":{"allowRead":["/h/p"]}}`, "network (--allow-domain HOST)"},
		{"aborted", "", order.Exited{Signal: "SIGABRT", MaxRSS: 1200 << 20}, Found{}, `{}`, "more than 2G of memory (--memory)"},
		{"aborted with little", "", order.Exited{Signal: "SIGABRT", MaxRSS: 90 << 20}, Found{}, `{}`, ""},
		{"aborted in a shell", "", order.Exited{ExitCode: 134, MaxRSS: 600 << 20}, Found{}, `{"limits":{"memory":"1G"}}`, "more than 1G of memory (--memory)"},
		{"much memory", "", order.Exited{MaxRSS: 2040 << 20}, Found{}, `{}`, "more than 2G of memory (--memory)"},
		{"memory of a group", "", order.Exited{MemoryPeak: 2 << 30}, Found{}, `{}`, "more than 2G of memory (--memory)"},
		{"little memory", "", order.Exited{MaxRSS: 1 << 20}, Found{}, `{"limits":{"memory":"128M"}}`, "more than 128M of memory (--memory)"},
		{"a large file", "", order.Exited{Signal: "SIGXFSZ"}, Found{}, `{"limits":{"fileSize":"1M"}}`, "files of more than 1M (--file-size)"},
		{"written where it is read", "/h/p/f.json", order.Exited{}, Found{}, `{"filesystem":{"allowRead":["/h/p"]}}`, "writes to /h/p (--allow-write /h/p)"},
		{"and little memory", "/h/p/f.json", order.Exited{}, Found{}, `{"limits":{"memory":"64M"},"filesystem":{"allowRead":["/h/p"]}}`, "writes to /h/p (--allow-write /h/p); more than 64M of memory (--memory)"},
		{"by a shell", "echo x >~/p/f", order.Exited{}, Found{}, `{"filesystem":{"allowRead":["/h/p"]}}`, "writes to /h/p (--allow-write /h/p)"},
		{"written where it is written", "/h/p/f.json", order.Exited{}, Found{}, `{"filesystem":{"allowRead":["/h/p"],"allowWrite":["/h/p"]}}`, ""},
		{"beside it", "/h/pq/f.json /h/p.txt", order.Exited{}, Found{}, `{"filesystem":{"allowRead":["/h/p"]}}`, ""},
		{"a refused name", "", order.Exited{Denied: []order.DeniedCount{{Act: order.Act{Kind: order.DeniedName, Host: "a.example"}, Flag: "--allow-domain a.example"}, {Act: order.Act{Kind: order.DeniedSyscall, Syscall: "unshare"}}}}, Found{Network: true}, `{}`, "a.example (--allow-domain a.example)"},
		{"a refused call", "", order.Exited{Denied: []order.DeniedCount{{Act: order.Act{Kind: order.DeniedSyscall, Syscall: "clone"}, Flag: "--subprocess"}}}, Found{Network: true}, `{}`, "clone (--subprocess); network (--allow-domain HOST)"},
		{"the program itself", "/h/p/server.js", order.Exited{}, Found{}, `{"filesystem":{"allowRead":["/h/p"]}}`, ""},
		{"read elsewhere", "/h/q/f.json", order.Exited{}, Found{}, `{"filesystem":{"allowRead":["/h/p"]}}`, ""},
		{"git", "git", order.Exited{}, Found{}, `{}`, "writes to .git (--allow-write /p/.git); argument /a"},
		{"written perhaps", "/h/p/f.json", order.Exited{ForksRefused: 1}, Found{}, `{"limits":{"pids":9},"filesystem":{"allowRead":["/h/p"]}}`, "more than 9 processes (--pids)"},
		{"three", "git", order.Exited{ForksRefused: 1}, Found{Network: true, Files: true}, `{"limits":{"pids":9}}`, "more than 9 processes (--pids); more than 1G of private files (--tmp-size); network (--allow-domain HOST)"},
	} {
		p, err := policy.Parse([]byte(strings.Replace(strings.Replace(c.policy, "{", `{"version":1,`, 1), ",}", "}", 1)))
		if err != nil {
			t.Fatal(err)
		}
		p = p.Effective(policy.Run)
		c.x.Cause = order.CauseExit
		if c.x.ExitCode == 0 {
			c.x.ExitCode = 1
		}
		o := &order.Order{Command: []string{"server", c.command}, Env: []string{"HOME=/h"}, Flags: order.Flags{Guided: true}}
		e := &order.Enforced{}
		if c.command == "git" {
			e = first
		}
		end := End{Exited: &c.x, Policy: &p, Found: c.found}
		_, causes, _ := strings.Cut(end.Line(o, e), ". Not given to it: ")
		if causes != c.want {
			t.Errorf("%s: %q, want %q", c.name, causes, c.want)
		}
	}
}

func TestTmpSize(t *testing.T) {
	for confinement, want := range map[string]string{"full": "",
		"reduced": "--tmp-size does not hold: private files lie on this machine's own file systems"} {
		named := []order.Named{{Key: "limits.memory", Written: "--memory"}, {Key: "filesystem.tmpSize", Written: "--tmp-size"}}
		if got := TmpSize(named, &order.Enforced{Confinement: confinement}); got != want {
			t.Errorf("%s: %q", confinement, got)
		}
	}
}
