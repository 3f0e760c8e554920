package explain

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// sentences are the keys in the order of a document, and the function with the sentences of each. A key that another
// key's function speaks of is in that key's row.
var sentences = [...]struct {
	keys string // between spaces
	tell func(*teller)
}{
	{"level", tellLevel},
	{"minConfinement", tellMinConfinement},
	{"filesystem.default", tellEverything},
	{"filesystem.allowRead filesystem.allowWrite", tellGrants},
	{"filesystem.denyRead filesystem.denyWrite", tellDenials},
	{"filesystem.tmpSize", tellTmpSize},
	{"network.allowedDomains", tellHosts},
	{"network.deniedDomains", tellDeniedHosts},
	{"network.allowPrivate network.checkServerName", tellHostChecks},
	{"network.allowUnixSockets", tellSockets},
	{"network.publish", tellPublished},
	{"subprocess.allow", tellPrograms},
	{"env envVars", tellVariables},
	{"limits.cpu limits.memory limits.addressSpace limits.pids limits.openFiles limits.fileSize limits.io " +
		"limits.timeout limits.grace", tellLimits},
	{"onStdinClose onHostExit", tellEnds},
	{"seccomp.deny", tellCalls},
	{"umask", tellUmask},
	{"state", tellState},
	{"cwd", tellFolder},
	{"user", tellUser},
}

func tellLevel(t *teller) {
	say := func(v Verdict, text string) { t.byDefault(t.given.Level != "", v, "/level", text) }
	switch t.p.Level {
	case policy.Strict:
		say(Safe, "is confined as no other level: files are read-only, and no network but the hosts of this policy")
	case policy.LevelNetwork:
		say(Dangerous, "has the whole network of this machine: every host, your local network, and the programs that "+
			"listen on localhost")
	case policy.Privileged:
		say(Dangerous, "is not confined: reads, changes, starts and reaches whatever you can (in a file this counts "+
			"only with --level privileged)")
	default:
		say(Safe, "is confined: no files and no network but those of this policy")
	}
}

func tellMinConfinement(t *teller) {
	say := func(v Verdict, text string) {
		t.byDefault(t.given.MinConfinement != "", v, "/minConfinement", text)
	}
	switch t.p.MinConfinement {
	case policy.Full:
		say(Safe, "starts only where all of this is held (confinement full)")
	case policy.Reduced:
		say(Safe, "may start in confinement reduced where the machine gives no more: files and network are held as "+
			"well, but this machine's /etc and processes can be seen")
	case policy.ConfinementLimits:
		if t.given.MinConfinement == "" { // of other systems than Linux: no policy is to blame for that
			say(Note, "may start in confinement limits, as this system gives no more: it then reads, changes and "+
				"reaches whatever you can")
			return
		}
		say(Dangerous, "may start in confinement limits where the machine gives no more: it then reads, changes and "+
			"reaches whatever you can")
	default:
		if !t.open() {
			say(Dangerous, "may start where the machine confines nothing: it then reads, changes and reaches "+
				"whatever you can (in a file this counts only with --min-confinement none)")
		} else {
			say(Safe, "starts in confinement none, which is all that level privileged has")
		}
	}
}

func tellPrograms(t *teller) {
	_, named := t.given.Subprocess.Allow.Value()
	allow, _ := t.p.Subprocess.Allow.Value()
	switch {
	case t.open():
		if named {
			t.noEffect("/subprocess/allow")
		}
	case allow:
		t.byDefault(named, Safe, "/subprocess/allow", "can start programs that it sees, each confined as itself")
	default:
		t.byDefault(named, Safe, "/subprocess/allow", "is one program for ever: can start no other")
	}
}

// noEffect tells of a key that level privileged makes idle.
func (t *teller) noEffect(pointer string) {
	t.say(Safe, pointer, "has no effect: level privileged confines nothing")
}

func tellVariables(t *teller) {
	for _, v := range t.given.Env {
		pointer, name := "/env"+strictjson.Step(v.Name), short(v.Name)
		if more := Certificates(v.Name); more != "" {
			t.say(Note, pointer, "gets the variable "+name+", set here, and "+more)
		} else if v.Value != "" && (isProxy(v.Name) || isOtherProxy(v.Name, v.Value)) {
			tellProxy(t, pointer, "gets the variable "+name+", set here", v.Value)
		} else if notice.IsSetting(v.Name) {
			t.say(Note, pointer, "gets the variable "+name+", whose value stands in the policy for all who read "+
				"the file")
		} else {
			t.say(Safe, pointer, "gets the variable "+name+", set here")
		}
	}
	for i, name := range t.given.EnvVars {
		prefix, pattern := strings.CutSuffix(name, "*")
		switch s := short(name); {
		case Certificates(name) != "":
			t.say(Note, item("/envVars", i), "gets your "+s+" and "+Certificates(name))
		case isProxy(name):
			tellProxy(t, item("/envVars", i), "gets your "+s, "")
		case pattern:
			t.say(Note, item("/envVars", i), "gets all your variables that begin with "+short(prefix)+", secrets too")
		case notice.IsSetting(name):
			t.say(Note, item("/envVars", i), "gets your "+s+", which looks like a secret or an address")
		default:
			t.say(Safe, item("/envVars", i), "gets your "+s)
		}
	}
	more := ""
	if len(t.given.Env)+len(t.given.EnvVars) > 0 {
		more = " but those of this policy"
	}
	if t.hostNetwork() {
		more = " but those of a proxy" + strings.Replace(more, " but", " and", 1)
	}
	t.byDefault(false, Safe, "/envVars", "gets HOME, PATH, LANG, TZ and their like, and none of your other "+
		"variables"+more)
}

// Certificates says which certificates a variable of certificates opens; "" of another variable.
func Certificates(variable string) string {
	switch variable {
	case "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NIX_SSL_CERT_FILE":
		return "sees the certificates in the file that it names, and nothing else of that file"
	case "SSL_CERT_DIR":
		return "sees the certificates in the files of the folders that it names, and nothing else of these"
	}
	return ""
}

func tellEnds(t *teller) {
	if t.given.OnStdinClose == policy.Ignore {
		t.say(Note, "/onStdinClose", "goes on running when its input ends")
	} else if t.given.OnStdinClose != "" {
		t.say(Safe, "/onStdinClose", "is ended when its input ends")
	}
	if t.given.OnHostExit == policy.Ignore {
		t.say(Note, "/onHostExit", "goes on running when the program that started it ends")
	} else if t.given.OnHostExit != "" {
		t.say(Safe, "/onHostExit", "is ended when the program that started it ends")
	}
}

func tellCalls(t *teller) {
	for i, name := range t.given.Seccomp.Deny {
		if t.open() {
			t.noEffect(item("/seccomp/deny", i))
		} else {
			t.say(Safe, item("/seccomp/deny", i), "is refused the system call ", short(name))
		}
	}
}

func tellUmask(t *teller) {
	mask, named := t.given.Umask.Value()
	const others, group = 0o002, 0o020
	switch {
	case !named:
	case mask&others == 0:
		t.say(Wide, "/umask", "makes files that every user of this machine may change")
	case mask&group == 0:
		t.say(Note, "/umask", "makes files that your group may change")
	case mask&0o077 == 0o077:
		t.say(Safe, "/umask", "makes files that only you may read or change")
	default:
		t.say(Safe, "/umask", "makes files that only you may change")
	}
}

func tellState(t *teller) {
	whose, v := "", Wide
	if t.machine.Whose != nil && t.p.State != "" {
		var there bool
		if whose, there = t.machine.Whose(t.p.State); there {
			v = Dangerous
		}
	}
	switch {
	case t.p.State != "" && whose != "":
		t.seen = max(t.seen, v)
		t.say(v, "/state", "has the home "+short(t.p.State)+", which is that of "+t.tilde(whose)+": reads and changes "+
			"what is kept there, log-ins too")
	case t.p.State != "":
		t.say(Note, "/state", "keeps its home under the name "+short(t.p.State)+": what one run leaves there the next "+
			"one finds, and no limit holds its size")
	case !t.open() && len(t.private()) > 0:
		t.byDefault(false, Safe, "/state", "has ", strings.Join(t.private(), " and "),
			" of its own, thrown away at the end")
	}
}

// private are the folders of the server's own. A grant of such a folder shows the machine's.
func (t *teller) private() (all []string) {
	if t.p.Filesystem.Default != policy.Read && (t.home == "" || t.paths.reader(t.home) == nil) {
		all = append(all, "an empty home")
	}
	if r := t.paths.reader("/tmp"); r == nil || r.path == "/" {
		all = append(all, "an empty /tmp")
	}
	return all
}

func tellFolder(t *teller) {
	if t.given.Cwd != "" {
		t.say(Safe, "/cwd", "starts in "+t.tilde(t.given.Cwd)+", which this alone does not open")
	}
}

func tellUser(t *teller) {
	uid, gid, ok := strings.Cut(t.given.User, ":")
	if _, err := strconv.Atoi(uid); err == nil && ok {
		t.say(Safe, "/user", "has the user number "+uid+" and the group number "+gid+", where root starts it")
	}
}
