package egress_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"slices"
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
const patience = 20 * time.Second

// dialer dials one address after another, so that the first error is that of a refusal, whichever family it is of.
func dialer() *net.Dialer { return &net.Dialer{Timeout: patience, FallbackDelay: -1} }

// verbs are the acts by name.
func verbs() map[string]func(r *result, words []string) error {
	return map[string]func(r *result, words []string) error{
		"lookup":       lookUp,      // NAME [ip ip4 ip6]
		"reverse":      reverse,     // ADDRESS
		"packet":       packets,     // udp|tcp SERVER HEX...
		"get":          get,         // URL
		"tcp":          tcp,         // HOST:PORT TEXT: sends it and reads as many bytes
		"banner":       banner,      // HOST:PORT: reads a line before it sends anything
		"half-close":   halfClose,   // HOST:PORT TEXT: sends it, ends its direction, reads to the end
		"late":         late,        // HOST:PORT TEXT: reads to the end and sends then
		"read":         readAll,     // HOST:PORT TEXT: sends it and reads to the end or an error
		"source":       fromSource,  // HOST:PORT N
		"sink":         toSink,      // HOST:PORT N
		"abort":        abort,       // HOST:PORT TEXT: echoes, then resets
		"udp":          datagram,    // HOST:PORT
		"many":         many,        // HOST:PORT N: open at once; one more; the first again
		"serial":       serial,      // HOST:PORT N: one after another
		"streams":      streams,     // HOST:PORT N BYTES: so many at once, each echoes so much
		"bind":         bind,        // udp|tcp ADDRESS
		"own":          own,         // NETWORK ADDRESS: listens there and talks to itself
		"tls":          withTLS,     // HOST:PORT SERVERNAME whole|bytes|records
		"bytes":        sendBytes,   // HOST:PORT HEX: sends them and reads to the end or an error
		"hello":        fullHello,   // HOST:PORT SERVERNAME SIZE: a ClientHello so long
		"descriptors":  descriptors, // its own
		"file":         file,        // PATH
		"wait-for-end": waitForEnd,  // of standard input
	}
}

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
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "EOF"
	}
	return err.Error()
}

// goes dials and has a connection for as long as the function runs.
func goes(at string, do func(c *net.TCPConn) error) error {
	c, err := dialer().Dial("tcp", at)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	return do(c.(*net.TCPConn))
}

func lookUp(r *result, words []string) error {
	network := "ip"
	if len(words) > 1 {
		network = words[1]
	}
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
	return goes(words[0], func(c *net.TCPConn) error {
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

func file(r *result, words []string) error {
	b, err := os.ReadFile(words[0])
	r.Text = strings.TrimSpace(string(b))
	return err
}

func waitForEnd(*result, []string) error {
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
