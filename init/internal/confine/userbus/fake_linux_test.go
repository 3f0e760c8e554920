package userbus

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/godbus/dbus/v5"
)

// A peer is the other end of a connection: the SASL part by hand, as a server answers, and then a general D-Bus library's.
// That library only knows to be a client, so its own authentication is answered here as well and not sent.
type peer struct {
	net.Conn
	in      *bufio.Reader
	mu      sync.Mutex
	answers bytes.Buffer
	begun   chan bool
	open    bool
}

func (p *peer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open {
		return p.Conn.Write(b)
	}
	for line := range strings.SplitSeq(strings.Trim(string(b), "\x00\r\n"), "\r\n") {
		switch {
		case line == "AUTH":
			p.answers.WriteString("REJECTED EXTERNAL\r\n")
		case strings.HasPrefix(line, "AUTH "):
			p.answers.WriteString("OK 0123456789abcdef0123456789abcdef\r\n")
		case line == "BEGIN":
			p.open = true
			close(p.begun)
		}
	}
	return len(b), nil
}

func (p *peer) Read(b []byte) (int, error) {
	p.mu.Lock()
	if p.answers.Len() > 0 {
		defer p.mu.Unlock()
		return p.answers.Read(b)
	}
	p.mu.Unlock()
	<-p.begun
	return p.in.Read(b)
}

// A fake is a manager, on its own socket or behind a bus.
type fake struct {
	t      *testing.T
	bus    bool
	result string // of the job
	silent bool   // no job ever ends
	refuse bool
	early  bool // the job ends before its name is told
	auth   string

	mu    sync.Mutex
	said  []string // what was called
	line  string   // of the authentication
	unit  string
	props map[string]dbus.Variant
}

// serve listens where the manager or the bus would, and returns the runtime folder.
func (f *fake) serve() string {
	dir := f.t.TempDir()
	name := "systemd/private"
	if f.bus {
		name = "bus"
	}
	l := listen(f.t, filepath.Join(dir, name))
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go f.answer(c)
		}
	}()
	return dir
}

func (f *fake) answer(c net.Conn) {
	p := &peer{Conn: c, in: bufio.NewReader(c), begun: make(chan bool)}
	line, err := p.in.ReadString('\n')
	if err != nil {
		c.Close()
		return
	}
	f.mu.Lock()
	f.line = line
	f.mu.Unlock()
	if f.auth != "" {
		io.WriteString(c, f.auth)
		return
	}
	io.WriteString(c, "OK 0123456789abcdef0123456789abcdef\r\n")
	if line, err = p.in.ReadString('\n'); err != nil || line != "BEGIN\r\n" {
		f.t.Errorf("%q, %v", line, err)
		return
	}
	conn, err := dbus.NewConn(p)
	if err != nil {
		f.t.Error(err)
		return
	}
	m := &methods{f, conn}
	conn.Export(m, managerPath, managerInterface)
	conn.Export(&busMethods{f}, "/org/freedesktop/DBus", "org.freedesktop.DBus")
	if err = conn.Auth(nil); err != nil {
		f.t.Error(err)
	}
}

func (f *fake) call(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, name)
}

type busMethods struct{ f *fake }

func (b *busMethods) Hello() (string, *dbus.Error) { b.f.call("Hello"); return ":1.7", nil }

func (b *busMethods) AddMatch(rule string) *dbus.Error { b.f.call("AddMatch " + rule); return nil }

type methods struct {
	f *fake
	c *dbus.Conn
}

func (m *methods) Subscribe() *dbus.Error { m.f.call("Subscribe"); return nil }

// An aux is the last argument's element: units that are to be made as well.
type aux struct {
	Name       string
	Properties []property
}

type property struct {
	Name  string
	Value dbus.Variant
}

func (m *methods) StartTransientUnit(name, mode string, props []property, more []aux) (dbus.ObjectPath, *dbus.Error) {
	f := m.f
	f.call("StartTransientUnit " + mode)
	if f.refuse {
		return "", dbus.NewError("org.freedesktop.systemd1.UnitExists", nil)
	}
	f.mu.Lock()
	f.unit, f.props = name, map[string]dbus.Variant{}
	for _, p := range props {
		f.props[p.Name] = p.Value
	}
	f.mu.Unlock()
	if len(more) != 0 {
		f.t.Errorf("auxiliary units: %v", more)
	}
	const job = "/org/freedesktop/systemd1/job/42"
	end := func() {
		m.c.Emit(managerPath, managerInterface+".JobNew", uint32(41), dbus.ObjectPath("/org/freedesktop/systemd1/job/41"), "other.service")
		m.c.Emit(managerPath, managerInterface+"."+jobRemoved, uint32(41), dbus.ObjectPath("/org/freedesktop/systemd1/job/41"), "other.service", "failed")
		m.c.Emit(managerPath, managerInterface+"."+jobRemoved, uint32(42), dbus.ObjectPath(job), name, f.result)
	}
	switch {
	case f.silent:
	case f.early:
		end()
	default:
		go end()
	}
	return job, nil
}
