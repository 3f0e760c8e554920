package egress_test

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// packets sends DNS messages to a server and reads as many answers, over TCP on one connection.
func packets(r *result, words []string) error {
	return packetsFrom(r, words[0], words[1], len(words)-2, words[2:])
}

// packetsFrom reads n answers.
func packetsFrom(r *result, network, server string, n int, all []string) error {
	c, err := net.DialTimeout(network, server, patience)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	for _, text := range all {
		b, err := hex.DecodeString(text)
		if err != nil {
			return err
		}
		if network == "tcp" {
			b = append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...)
		}
		if _, err := c.Write(b); err != nil {
			return err
		}
	}
	for range n {
		b := make([]byte, 1<<16)
		n := 0
		if network == "udp" {
			if n, err = c.Read(b); err != nil {
				return err
			}
		} else {
			if _, err := io.ReadFull(c, b[:2]); err != nil {
				return err
			}
			n = int(binary.BigEndian.Uint16(b))
			if _, err := io.ReadFull(c, b[:n]); err != nil {
				return err
			}
		}
		r.All = append(r.All, hex.EncodeToString(b[:n]))
	}
	return nil
}

func packetThen(r *result, words []string) error {
	c, err := net.DialTimeout("udp", words[0], patience)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	for _, text := range words[2:] {
		b, err := hex.DecodeString(text)
		if err != nil {
			return err
		}
		if _, err := c.Write(b); err != nil {
			return err
		}
	}
	b := make([]byte, 2048)
	for i := range 2 {
		n, err := c.Read(b)
		if err != nil {
			return err
		}
		r.All = append(r.All, hex.EncodeToString(b[:n]))
		if i == 0 {
			if err := goes(words[1], func(c *net.TCPConn) error { return echoed(c, "now") }); err != nil {
				return err
			}
		}
	}
	return nil
}

func get(r *result, words []string) error {
	transport := &http.Transport{Proxy: nil, DialContext: dialer().DialContext, DisableKeepAlives: true}
	c := http.Client{Transport: transport, Timeout: patience}
	answer, err := c.Get(words[0])
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	r.Text = string(b)
	return err
}

// A cutter changes how the first bytes that a client of TLS writes are cut, which are its ClientHello's.
type cutter struct {
	*net.TCPConn
	how   string
	begun bool
}

func (c *cutter) Write(b []byte) (int, error) {
	if c.begun || c.how == "whole" {
		return c.TCPConn.Write(b)
	}
	c.begun = true
	size, _ := strconv.Atoi(c.how)
	cut := b
	if c.how == "records" { // the handshake message in records of 16 bytes
		cut, size = nil, 21
		for body := b[5:]; len(body) > 0; {
			n := min(16, len(body))
			cut = append(append(cut, b[0], b[1], b[2], 0, byte(n)), body[:n]...)
			body = body[n:]
		}
	}
	for len(cut) > 0 {
		n, err := c.TCPConn.Write(cut[:min(size, len(cut))])
		if err != nil {
			return 0, err
		}
		cut = cut[n:]
	}
	return len(b), nil
}

// withTLS asks over TLS, for a server name that need not be the host's; "-" sends none.
func withTLS(r *result, words []string) error {
	return goes(words[0], func(c *net.TCPConn) error {
		config := &tls.Config{InsecureSkipVerify: true, ServerName: words[1]} // the test looks at who answers
		if words[1] == "-" {
			config.ServerName = ""
		}
		s := tls.Client(&cutter{TCPConn: c, how: words[2]}, config)
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := s.HandshakeContext(ctx); err != nil {
			return err
		}
		if _, err := io.WriteString(s, "GET /tls HTTP/1.0\r\n\r\n"); err != nil {
			return err
		}
		b, err := io.ReadAll(s)
		_, r.Text, _ = strings.Cut(string(b), "\r\n\r\n")
		return err
	})
}

// fullHello asks with a ClientHello of at least a size, by protocols of ALPN, and reads the first record of an answer.
func fullHello(r *result, words []string) error {
	size, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	var protocols []string
	for n := 0; n < size; n += 251 {
		protocols = append(protocols, strings.Repeat(string(rune('a'+n%26)), 250))
	}
	return goes(words[0], func(c *net.TCPConn) error {
		s := tls.Client(c, &tls.Config{InsecureSkipVerify: true, ServerName: words[1], NextProtos: protocols})
		err := s.Handshake()
		var alert tls.AlertError
		if remote := (*net.OpError)(nil); errors.As(err, &alert) || errors.As(err, &remote) && remote.Op == "remote error" {
			r.Text, err = "the host answered: "+err.Error(), nil // it has none of these protocols
		}
		return err
	})
}

func sent(_ *result, words []string) error {
	c, err := net.Dial("udp", words[0])
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = io.WriteString(c, append(words, "datagram")[1])
	return err
}

func sentTo(r *result, words []string) error {
	to, err := net.ResolveUDPAddr("udp", words[0])
	if err != nil {
		return err
	}
	c, err := net.ListenPacket("udp", ":0")
	if err != nil {
		return err
	}
	defer c.Close()
	if len(words) == 1 {
		_, err = c.WriteTo([]byte("datagram"), to)
		return err
	}
	packet, err := hex.DecodeString(words[1])
	if err == nil {
		_, err = c.WriteTo(packet, to)
	}
	if err == nil {
		var n int
		n, _, err = c.ReadFrom(make([]byte, 512))
		r.Count = int64(n)
	}
	return err
}
