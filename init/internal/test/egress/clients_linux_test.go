package egress_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A reacher is a program that people reach hosts by, as it comes: without one variable that names a proxy.
type reacher struct {
	name  string
	port  int // of its server
	serve func(t *testing.T, s *site, port int, k *kit)
	// command is followed by targets, HOST:PORT, and writes "OK TEXT" or "ERR TEXT" about each.
	command func(t *testing.T, k *kit) []string
	want    string // how the text of what goes well ends; "" for hello
	unknown string // ... of a name that no list has: one of several between "|"
	closed  string // ... of a port
	reset   string // ... of a host that resets the connection
}

// kit is what reachers and their servers need of the world.
type kit struct {
	folder    string // this package's testdata, where every user may read
	authority string
	env       map[string]string // inside
	grant     []string          // readable in addition
}

const (
	slowAt  = 10000 // more than a server's port: the same server, which takes its time
	resetAt = 20000 // ... : resets each connection at the first byte
	shutAt  = 81    // no list has it

	otherClients = "other-clients.example.com" // nor this name
)

// Programs and libraries against servers as they come: a host that the list names answers, at once and slowly; another
// name does not resolve, another port is refused, a reset comes through, and then the first answers again.
func TestClients(t *testing.T) {
	t.Parallel()
	newSite(t, otherClients)
	for _, r := range reachers() {
		if testing.Short() && slices.Contains(relatives, r.name) {
			continue
		}
		t.Run(r.name, func(t *testing.T) { beside(t, r.reach) })
	}
}

// reach tries a reacher.
func (r *reacher) reach(t *testing.T, in confinement) {
	k := newKit(t)
	s := newSite(t, strings.Map(hostLetter, r.name)+"."+in.name+".clients.example.com")
	command := r.command(t, k)
	r.serve(t, s, r.port, k)
	s.serve(t, r.port+slowAt, slowly(s.at4(r.port)))
	s.serve(t, r.port+resetAt, resetAfter(0))
	at := func(port int) string { return s.Name + ":" + strconv.Itoa(port) }
	l := launch{in: in, network: network{Allowed: hostPorts(s.Name, r.port, r.port+slowAt, r.port+resetAt)},
		Env: k.env, Grant: append(k.grant, k.folder, k.authority)}
	e := l.command(t, append(command, at(r.port), at(r.port+slowAt), otherClients+":"+strconv.Itoa(r.port), at(shutAt),
		at(r.port+resetAt), at(r.port))...)
	r.hold(t, e)
	e.told(t, denied{Kind: "name", Host: otherClients})
	e.told(t, denied{Kind: "port", Host: s.Name, Port: shutAt})
	if t.Failed() {
		t.Logf("code %d\n%s%s%s", e.Code, &e.Stdout, &e.Stderr, e.Denied)
	}
}

// hold holds what a reacher wrote against what it must come to.
func (r *reacher) hold(t *testing.T, e *ended) {
	t.Helper()
	want := r.want
	if want == "" {
		want = "hello"
	}
	wanted := []string{"OK " + want, "OK " + want, r.unknown, r.closed, r.reset, "OK " + want}
	said := strings.Split(strings.TrimSuffix(e.Stdout.String(), "\n"), "\n")
	if len(said) != len(wanted) {
		t.Errorf("%d lines of %d", len(said), len(wanted))
		return
	}
	for i, line := range said {
		name := []string{"a host of the list", "a slow one", "another name", "another port", "a reset", "the first again"}[i]
		switch good := strings.HasPrefix(wanted[i], "OK "); {
		case good && !(strings.HasPrefix(line, "OK ") && strings.HasSuffix(line, want)), !good && (!strings.HasPrefix(line, "ERR ") || !holdsOne(line, wanted[i])):
			t.Errorf("%s: %q, want %q", name, line, wanted[i])
		}
	}
}

func hostLetter(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return '-'
}

// newKit has this package's testdata where a sandbox can show it to every user.
func newKit(t *testing.T) *kit {
	t.Helper()
	k := &kit{folder: testbed.Folder(t), authority: authorityFile(t)}
	k.env = map[string]string{"ca": k.authority, "dir": k.folder, "SSL_CERT_FILE": k.authority}
	if err := os.CopyFS(k.folder, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(k.folder, "x"), []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	return k
}

// needModules is for reachers that npm installs.
func (k *kit) needModules(t *testing.T) {
	t.Helper()
	k.env["NODE_PATH"], k.env["NODE_EXTRA_CA_CERTS"] = testbed.Modules(t), k.authority
	k.grant = append(k.grant, k.env["NODE_PATH"])
}
