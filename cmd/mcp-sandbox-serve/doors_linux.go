package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/front"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/principal"
)

// doors are the addresses of serve, one or two. They are bound before the trial, so that one which is taken is told at
// once, and served after it.
type doors struct {
	doors []door
	url   string // of the first
	admin string // address of the second; ""
}

type door struct {
	*http.Server
	net.Listener
}

// open listens.
func (o *options) open(c front.Config) (d doors, err error) {
	config, err := o.tls(c.Log)
	if err != nil {
		return d, err
	}
	listener, url, err := listen("listen", o.listen, o.uid)
	if err != nil {
		return d, err
	}
	if d.url = url; config != nil {
		listener, d.url = tls.NewListener(listener, config), strings.Replace(url, "http:", "https:", 1)
	}
	if strings.HasPrefix(d.url, "http") {
		d.url += "/mcp"
	}
	d.doors = []door{{front.Server(c), listener}}
	if o.admin == "" {
		return d, nil
	}
	if listener, d.admin, err = listen("admin-listen", o.admin, -1); err != nil {
		d.close()
		return d, err
	}
	d.doors = append(d.doors, door{front.Admin(c), listener})
	return d, nil
}

// serve serves, and the log says where. broken gets the error of a door that lets no more in.
func (d *doors) serve(j *journal.Journal) (broken chan error) {
	broken = make(chan error, len(d.doors))
	for _, one := range d.doors {
		go func() { broken <- one.Serve(one.Listener) }()
	}
	j.Log.Info("listening", "url", d.url, "admin", d.admin)
	return broken
}

// shut lets no more in, and waits until the last answers are read, for so long.
func (d *doors) shut(most time.Duration) {
	ctx, stop := context.WithTimeout(context.Background(), most)
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, one := range d.doors {
			one.Shutdown(ctx)
		}
	}()
	select {
	case <-done:
	case <-ctx.Done(): // Shutdown waits for a door without a place for one more connection, whatever its ctx
	}
}

func (d *doors) close() {
	for _, one := range d.doors {
		one.Listener.Close()
	}
}

// keepAlive finds a client that vanished in 45 s. Where something was sent to it the kernel asks nothing more, and
// gives up after vanished. The sockets of a listener have its TCP_USER_TIMEOUT; tcp(7).
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 10 * time.Second, Count: 3}

const vanished = 45 * time.Second

// before has a socket set up before bind(2).
func before(set func(fd int) error) func(_, _ string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) (err error) {
		bad := c.Control(func(fd uintptr) { err = set(int(fd)) })
		return cmp.Or(bad, err)
	}
}

// listen listens, and returns the address as a URL. A socket's file is gone at the end. It is this user's alone, or
// a proxy's of another user: then the file is everybody's, and whoever else connects is hung up on. -1 is no proxy.
func listen(flag, address string, proxy int) (net.Listener, string, error) {
	config := net.ListenConfig{KeepAliveConfig: keepAlive}
	path, isUnix := strings.CutPrefix(address, "unix:")
	if !isUnix {
		config.Control = before(func(fd int) error {
			return unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(vanished.Milliseconds()))
		})
		l, err := config.Listen(context.Background(), "tcp", address)
		if err != nil {
			return nil, "", fmt.Errorf("--%s %s: %w", flag, address, err)
		}
		return l, "http://" + l.Addr().String(), nil
	}
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return nil, "", fmt.Errorf("--%s %s: another program listens there", flag, address)
	} else if info, no := os.Lstat(path); no == nil && info.Mode().Type() == os.ModeSocket &&
		errors.Is(err, syscall.ECONNREFUSED) { // as connect(2) answers for any file
		os.Remove(path) // of a program that was killed
	}
	// The file is this user's alone from its first moment: bind(2) takes the mode of the socket.
	config.Control = before(func(fd int) error { return unix.Fchmod(fd, 0o600) })
	l, err := config.Listen(context.Background(), "unix", path)
	if err == nil && proxy >= 0 {
		err = os.Chmod(path, 0o666)
		l = principal.Only(l, proxy, os.Getuid(), 0)
	}
	if err != nil {
		return nil, "", fmt.Errorf("--%s %s: %w", flag, address, err)
	}
	return l, address, nil
}

// tls is the configuration of the two files, and of the clients' authority; nil without them.
func (o *options) tls(j *journal.Journal) (*tls.Config, error) {
	if o.cert == "" {
		return nil, nil
	}
	files := []string{o.cert, o.key}
	if o.ca != "" {
		files = append(files, o.ca)
	}
	fresh, err := principal.NewFresh(func() (*tls.Config, error) {
		pair, err := tls.LoadX509KeyPair(o.cert, o.key)
		// A ticket would outlive the authority that vouched for its client.
		c := &tls.Config{Certificates: []tls.Certificate{pair}, SessionTicketsDisabled: o.ca != ""}
		if err == nil && o.ca != "" {
			var pem []byte
			pem, err = os.ReadFile(o.ca)
			if c.ClientAuth, c.ClientCAs = tls.VerifyClientCertIfGiven, x509.NewCertPool(); err == nil &&
				!c.ClientCAs.AppendCertsFromPEM(pem) {
				err = errors.New("--client-ca " + o.ca + ": no certificate in it")
			}
		}
		return c, err
	}, func(err error) { j.Log.Error("the files of TLS as they were before go on", "error", err) }, files...)
	latest := func(*tls.ClientHelloInfo) (*tls.Config, error) { return fresh.Get(), nil }
	return &tls.Config{GetConfigForClient: latest}, err
}
