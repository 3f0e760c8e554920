package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// Where the programs of the streams are in the world.
const (
	siteName = "site.example.com"
	siteAt   = "203.0.113.10"
	relayAt  = "203.0.113.11"
	sitePort = 7
)

// What a client asks the server for in its first byte.
const (
	wantByte  = 'b' // sent back
	wantBytes = 'd' // as many as eight bytes say, big-endian
	wantSink  = 'u' // whatever comes is read to its end, and answered with a byte
)

// serverArg makes this program the server, with its name server.
const serverArg = "-as-server"

// chunk is what client and server write at most at once.
const chunk = 128 << 10

// accept serves each connection, and says in a line that it does.
func accept(at string, serve func(*net.TCPConn)) error {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	fmt.Println("<nil>")
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			serve(c.(*net.TCPConn))
			c.Close()
		}()
	}
}

func server() error {
	udp, err := net.ListenPacket("udp", net.JoinHostPort(world.NameServer, "53"))
	if err != nil {
		return err
	}
	go nameServer(udp)
	return accept(net.JoinHostPort(siteAt, strconv.Itoa(sitePort)), serveOne)
}

func serveOne(c *net.TCPConn) {
	b := make([]byte, chunk)
	if _, err := io.ReadFull(c, b[:1]); err != nil {
		return
	}
	switch b[0] {
	case wantByte:
		c.Write(b[:1])
	case wantBytes:
		if _, err := io.ReadFull(c, b[:8]); err != nil {
			return
		}
		for n := binary.BigEndian.Uint64(b); n > 0; {
			part, err := c.Write(b[:min(n, chunk)])
			if err != nil {
				return
			}
			n -= uint64(part)
		}
	case wantSink:
		for {
			if _, err := c.Read(b); err != nil {
				break
			}
		}
		c.Write(b[:1])
	}
}

// answerTail is an A record for the question's name, which stands at offset 12; RFC 1035, section 4.1.
func answerTail() []byte {
	tail := []byte{0xc0, 12, 0, 1, 0, 1, 0, 0, 0x0e, 0x10, 0, 4}
	return append(tail, netip.MustParseAddr(siteAt).AsSlice()...)
}

// nameServer answers each question for an IPv4 address with the site's, and others with no record.
func nameServer(udp net.PacketConn) {
	b, tail := make([]byte, 512), answerTail()
	for {
		n, from, err := udp.ReadFrom(b)
		if err != nil {
			return
		}
		end := 12
		for end < n && b[end] != 0 {
			end += 1 + int(b[end])
		}
		if end += 5; end > n {
			continue
		}
		answer := append([]byte(nil), b[:end]...)
		answer[2], answer[3] = 0x81, 0x80 // a response, recursion desired and available
		answer[10], answer[11] = 0, 0     // no EDNS
		if answer[end-3] == 1 {
			answer[7] = 1
			answer = append(answer, tail...)
		}
		udp.WriteTo(answer, from)
	}
}

// peer is the program of a host of the world.
func peer(serve func() error) {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
