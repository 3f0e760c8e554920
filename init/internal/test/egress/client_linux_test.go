package egress_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// clientIs is argument 1 of this test binary as the program inside a sandbox. Each further argument is an act: a verb
// and its words, as a list in JSON. Each writes one line, its [result]; the acts are made one after another.
const clientIs = "-egress-client"

// A result is what an act came to.
type result struct {
	Act   []string `json:"act"`
	Error string   `json:"error,omitempty"` // "" if it went well; else ECONNREFUSED, NXDOMAIN, timeout, EOF, or a text
	Text  string   `json:"text,omitempty"`  // what was got
	All   []string `json:"all,omitempty"`
	Count int64    `json:"count,omitempty"`
}

func (r result) String() string {
	b, _ := json.Marshal(r)
	return string(b)
}

// patience of one step of an act. What is refused must be so at once, and never by this.
const patience = 30 * time.Second

// dialer dials one address after another, so that the first error is that of a refusal, whichever family it is of.
func dialer() *net.Dialer { return &net.Dialer{Timeout: patience, FallbackDelay: -1} }

func client(acts []string) int {
	code := 0
	for _, text := range acts {
		var r result
		err := json.Unmarshal([]byte(text), &r.Act)
		if err == nil {
			if verb := verbs()[r.Act[0]]; verb == nil {
				err = errors.New("no verb " + r.Act[0])
			} else {
				err = verb(&r, r.Act[1:])
			}
		}
		if err != nil {
			r.Error = errorName(err)
		}
		if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
			code = 1
		}
	}
	return code
}

// errorName is the kernel's word for an error, or the resolver's, or the error in words.
func errorName(err error) string {
	var dns *net.DNSError
	var errno unix.Errno
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "NXDOMAIN"
	case errors.As(err, &dns) && !dns.IsTimeout:
		return "SERVFAIL: " + dns.Err
	case errors.As(err, &errno):
		return unix.ErrnoName(errno)
	case errors.As(err, &dns), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "EOF"
	}
	return err.Error()
}

// goes dials and has a connection for as long as the function runs.
func goes(at string, do func(c *net.TCPConn) error) error { return goesBy("tcp", at, do) }

func goesBy(network, at string, do func(c *net.TCPConn) error) error {
	c, err := dialer().Dial(network, at)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	return do(c.(*net.TCPConn))
}

func lookUp(r *result, words []string) error {
	network := append(words, "ip")[1]
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	all, err := net.DefaultResolver.LookupNetIP(ctx, network, words[0])
	for _, a := range all {
		r.All = append(r.All, a.Unmap().String())
	}
	slices.Sort(r.All)
	return err
}

func reverse(r *result, words []string) (err error) {
	r.All, err = net.LookupAddr(words[0])
	return err
}

func tcp(r *result, words []string) error {
	network := append(words, "tcp")[2]
	return goesBy(network, words[0], func(c *net.TCPConn) error {
		if _, err := io.WriteString(c, words[1]); err != nil {
			return err
		}
		b := make([]byte, len(words[1]))
		n, err := io.ReadFull(c, b)
		r.Text = string(b[:n])
		return err
	})
}

func datagram(r *result, words []string) error {
	c, err := net.Dial("udp", words[0])
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	if _, err := c.Write([]byte("datagram")); err != nil {
		return err
	}
	b := make([]byte, 2048)
	n, err := c.Read(b)
	r.Text = string(b[:n])
	return err
}

func bind(_ *result, words []string) error {
	if words[0] == "udp" {
		c, err := net.ListenPacket("udp", words[1])
		if err == nil {
			c.Close()
		}
		return err
	}
	l, err := net.Listen("tcp", words[1])
	if err == nil {
		l.Close()
	}
	return err
}

// own is a server of the sandbox's own, on a port that it gets, and its client.
func own(r *result, words []string) error {
	l, err := net.Listen(words[0], words[1])
	if err != nil {
		return err
	}
	defer l.Close()
	var serving sync.WaitGroup
	defer serving.Wait()
	serving.Go(func() {
		if c, err := l.Accept(); err == nil {
			io.Copy(c, c)
			c.Close()
		}
	})
	defer l.Close()
	return tcp(r, []string{l.Addr().String(), "to itself"})
}

func descriptors(r *result, _ []string) error {
	entries, err := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if target, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil {
			r.All = append(r.All, e.Name()+" "+target)
		}
	}
	return err
}

func environment(r *result, _ []string) error {
	r.All = os.Environ()
	return nil
}

func file(r *result, words []string) error {
	b, err := os.ReadFile(words[0])
	r.Text = strings.TrimSpace(string(b))
	return err
}

func hold(_ *result, words []string) error {
	return goes(words[0], func(*net.TCPConn) error {
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
}

func from(_ *result, words []string) error {
	d := dialer()
	port, err := strconv.Atoi(words[0])
	if err != nil {
		return err
	}
	d.LocalAddr = &net.TCPAddr{Port: port}
	c, err := d.Dial("tcp4", words[1])
	if err != nil {
		return err
	}
	defer c.Close()
	return echoed(c, "to itself")
}
