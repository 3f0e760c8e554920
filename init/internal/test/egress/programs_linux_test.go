package egress_test

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// installed is a program of the system's, which the sandbox shows; others come in folders that it does not show.
func installed(t *testing.T, name string) string {
	t.Helper()
	path := "/usr/bin/" + name
	if _, err := os.Stat(path); err != nil {
		testbed.Missing(t, name, "no "+path+" on this machine")
	}
	return path
}

// A program as it comes.
type program struct {
	name, path string
	args       []string
	good       string // what it writes of what it gets; "" for what the host says
	unknown    string // ... of a name that is not resolved
	reset      string // ... of an address alone, in full: the reset may come before the program looks
	refused    string // ... of a port, and in reduced of an address
}

func programs() []program {
	const python = `import sys, urllib.request, socket
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=20).read().decode(), end="")
except OSError as e:
    print(e); sys.exit(1)
`
	// Node's fetch never settles if its connection is reset before it looks: without a sandbox in 1 of 80, with Node 20.
	const fetch = `let settled = false
process.on("exit", () => { if (!settled) { console.log("never settled"); process.exitCode = 1 } })
fetch(process.argv[1]).then(r => r.text()).then(t => { settled = true; process.stdout.write(t) }, e => {
	settled = true
	console.log(e.cause?.code, e.cause?.errors?.map(e => e.code))
	process.exit(1)
})`
	const lookup = `require("dns").promises.resolve4(process.argv[1].split("/")[2]).then(a => process.stdout.write("resolved " + a.length), ` +
		`e => { console.log(e.code); process.exit(1) })`
	const curl = "reset by peer|Failed to connect|not connected"
	return []program{
		{"curl", "curl", []string{"-sS", "--max-time", "20"}, "", "Could not resolve host", curl, "connect"},
		{"curl over IPv4", "curl", []string{"-sS4", "--max-time", "20"}, "", "Could not resolve host", curl, "connect"},
		{"urllib", "python3", []string{"-c", python}, "", "Name or service not known", "reset by peer", "refused"},
		{"fetch", "node", []string{"-e", fetch}, "", "ENOTFOUND", "ECONNRESET|never settled", "ECONNREFUSED"},
		{"dns.resolve4", "node", []string{"-e", lookup}, "resolved 1", "ENOTFOUND", "", ""},
	}
}

// Programs without one variable that names a proxy: an allowed name goes, another does not resolve, an address alone
// and a port that is not open are refused, and all of it at once.
func TestPrograms(t *testing.T) {
	t.Parallel()
	a := newSite(t, "a.programs.example.com").serveWeb(t, 80).serveTLS(t, 443).serveWeb(t, 81)
	newSite(t, "other.programs.example.com").serveWeb(t, 80)
	stranger, _ := newAddresses(t)
	words := strings.NewReplacer("NAME", a.Name, "OTHER", "other.programs.example.com", "ADDRESS", stranger.String())
	for _, p := range programs() {
		t.Run(p.name, func(t *testing.T) {
			beside(t, func(t *testing.T, in confinement) { p.hold(t, in, a.Name, words) })
		})
	}
}

// hold holds what the program writes of each URL against what it must come to.
func (p *program) hold(t *testing.T, in confinement, allowed string, words *strings.Replacer) {
	path := installed(t, p.path)
	l := launch{in: in, network: network{Allowed: []string{allowed}}, Given: []string{"SSL_CERT_FILE=" + authorityFile(t)}}
	l.Given = append(l.Given, "NODE_EXTRA_CA_CERTS="+strings.TrimPrefix(l.Given[0], "SSL_CERT_FILE="))
	try := func(url string) *ended {
		t.Helper()
		return l.command(t, append(append([]string{path}, p.args...), words.Replace(url))...)
	}
	for _, url := range []string{"http://NAME/x", "https://NAME/x"} {
		want := cmp.Or(p.good, words.Replace("NAME: GET NAME /x"))
		if e := try(url); e.Code != 0 || e.Stdout.String() != want || len(e.Denied) > 0 {
			t.Errorf("%s: code %d, %q, want %q\n%s%s", url, e.Code, &e.Stdout, want, &e.Stderr, e.Lines)
		}
	}
	address := map[string]string{full.name: p.reset, reduced.name: p.refused}[in.name]
	for url, want := range map[string]string{"http://OTHER/": p.unknown, "http://ADDRESS/": address, "http://NAME:81/": p.refused} {
		if want == "" {
			continue
		}
		e := try(url)
		if said := e.Stdout.String() + e.Stderr.String(); e.Code == 0 || !holdsOne(said, want) || len(e.Denied) == 0 {
			t.Errorf("%s: code %d, %q without %q, denied %s", url, e.Code, said, want, e.Denied)
		}
		if e.Exited.WallSeconds > patience.Seconds() { // a client that gets no answer waits for two minutes
			t.Errorf("%s: took %g s", url, e.Exited.WallSeconds)
		}
	}
}

func holdsOne(text, words string) bool {
	return slices.ContainsFunc(strings.Split(words, "|"), func(word string) bool { return strings.Contains(text, word) })
}

// git fetches over HTTPS, from a server of files, from an allowed host and from no other.
func TestGit(t *testing.T) { both(t, testGit) }

func testGit(t *testing.T, in confinement) {
	git := installed(t, "git")
	folder := testbed.Folder(t)
	bare := filepath.Join(folder, "bare.git")
	script := `set -e
git init -q --initial-branch=main "$0/work"
cd "$0/work"
echo content >file
git add file
git -c user.name=T -c user.email=t@example.com commit -q -m first
git clone -q --bare . "$0/bare.git"
cd "$0/bare.git"
git update-server-info
chmod -R a+rX .`
	cmd := exec.Command("/bin/sh", "-c", script, folder)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + folder, "GIT_CONFIG_GLOBAL=/dev/null"}
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	a := newSite(t, "git.example.com").serveFiles(t, 443, bare)
	other := newSite(t, "other-git.example.com").serveFiles(t, 443, bare)
	l := launch{in: in, network: network{Allowed: []string{a.Name}}, Env: map[string]string{"GIT_SSL_CAINFO": "", "GIT_CONFIG_NOSYSTEM": "1"}}
	ca := authorityFile(t)
	l.Env["GIT_SSL_CAINFO"], l.Grant = ca, []string{ca}
	for name, good := range map[string]bool{a.Name: true, other.Name: false} {
		e := l.command(t, "/bin/sh", "-c", git+` clone -q "https://$0/" "${TMPDIR:-/tmp}/clone" && cat "${TMPDIR:-/tmp}/clone/file"`, name)
		if good && (e.Code != 0 || e.Stdout.String() != "content\n") || !good && (e.Code == 0 || !strings.Contains(e.Stderr.String(), "Could not resolve host")) {
			t.Errorf("%s: code %d, %q\n%s%s", name, e.Code, &e.Stdout, &e.Stderr, e.Lines)
		}
	}
}
