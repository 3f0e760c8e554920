package egress_test

import (
	"io"
	"net"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// verbs are the acts by name.
func verbs() map[string]func(r *result, words []string) error {
	return map[string]func(r *result, words []string) error{
		"lookup":      lookUp,      // NAME [ip ip4 ip6]
		"reverse":     reverse,     // ADDRESS
		"packet":      packets,     // udp|tcp SERVER HEX...: sends all, reads as many answers
		"packet-then": packetThen,  // SERVER HOST:PORT HEX HEX: sends both, reads one answer, echoes there, reads the other
		"get":         get,         // URL
		"tcp":         tcp,         // HOST:PORT TEXT [tcp4 tcp6]: sends it and reads as many bytes
		"banner":      banner,      // HOST:PORT: reads a line before it sends anything
		"half-close":  halfClose,   // HOST:PORT TEXT: sends it, ends its direction, reads to the end
		"late":        late,        // HOST:PORT TEXT: reads to the end and sends then
		"read":        readAll,     // HOST:PORT TEXT: sends it and reads to the end or an error
		"source":      fromSource,  // HOST:PORT N
		"sink":        toSink,      // HOST:PORT N
		"abort":       abort,       // HOST:PORT TEXT: echoes, then resets
		"udp":         datagram,    // HOST:PORT: sends a datagram and waits for an answer
		"udp-sent":    sent,        // HOST:PORT [TEXT]: sends one and waits for nothing
		"udp-to":      sentTo,      // HOST:PORT [HEX]: the same by sendto(2), with the address; of HEX an answer is read
		"many":        many,        // HOST:PORT N: open at once; one more; the first again
		"serial":      serial,      // HOST:PORT N: one after another
		"streams":     streams,     // HOST:PORT N BYTES: so many at once, each echoes so much
		"bind":        bind,        // udp|tcp ADDRESS
		"own":         own,         // NETWORK ADDRESS: listens there and talks to itself
		"tls":         withTLS,     // HOST:PORT SERVERNAME whole|records|N: in segments of so many bytes
		"bytes":       sendBytes,   // HOST:PORT HEX: sends them and reads to the end or an error
		"hello":       fullHello,   // HOST:PORT SERVERNAME SIZE: a ClientHello so long
		"idle":        idle,        // HOST:PORT N TEXT: opened, each says it, and kept to the end of the program
		"ask":         ask,         // N QUERY...: over UDP in turn, and reads that many answers
		"stop":        stop,        // until standard input ends
		"patient":     patient,     // HOST:PORT TEXT: sends it and waits for a byte for longer than a dial takes
		"leave":       leave,       // HOST:PORT N: reads a byte, sends so much, and leaves the connection to the end
		"until":       until,       // HOST:PORT LINE: banner again and again
		"route":       route,       // a new one
		"write":       write,       // PATH TEXT
		"descriptors": descriptors, // its own
		"environment": environment, // its own
		"file":        file,        // PATH
		"hold":        hold,        // HOST:PORT: until standard input ends
		"wait":        wait,        // for a byte of standard input
		"crowd":       crowd,       // HOST:PORT N: at once, and held
		"sockets":     sockets,     // N [udp]: not connected, and held
		"shut":        shut,        // closes them
		"begin":       begin,       // ADDRESS:PORT: connects them, and writes to each
		"echoes":      echoes,      // reads from each, and closes it
		"drop":        drop,        // what is held
		"stall":       stall,       // HOST:PORT BYTES N: so many sources, and held
		"drain":       drain,       // BYTES: reads what is held
		"push":        push,        // HOST:PORT N: writes until no more is taken, and holds
		"busy":        busy,        // HOST:PORT N DURATION: echoes without a pause
		"pester":      pester,      // NAME N: so many questions below it, and no answers
		"flood":       flood,       // NAME N: so many questions below it
		"loop":        loop,        // KIND HOST:PORT N: datagrams, connections, names or bytes, and counts processor time
		"from":        from,        // PORT HOST:PORT: connects from that port of its own
	}
}

// until asks again and again: what it waits for has no other sign.
func until(r *result, words []string) (err error) {
	testbed.Comes(func() bool {
		err = banner(r, words)
		return err == nil && r.Text == words[1]
	})
	return err
}

func route(*result, []string) error {
	return world.Route(unix.RTN_LOCAL, "192.0.2.0/24", sandbox4).Send()
}

func write(_ *result, words []string) error { return os.WriteFile(words[0], []byte(words[1]), 0) }

func patient(r *result, words []string) error {
	c, err := dialer().Dial("tcp", words[0])
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(3 * patience))
	if _, err = io.WriteString(c, words[1]); err == nil {
		_, err = c.Read(make([]byte, 64))
	}
	return err
}

func leave(_ *result, words []string) error {
	n, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return err
	}
	c, err := dialer().Dial("tcp", words[0])
	if err != nil {
		return err
	}
	kept = append(kept, c)
	if _, err := c.Read(make([]byte, 1)); err != nil {
		return err
	}
	_, err = io.Copy(c, io.LimitReader(new(pattern), n))
	return err
}

// kept are connections to the end of the program.
var kept []net.Conn

func idle(r *result, words []string) error {
	n, err := strconv.Atoi(words[1])
	for i := 0; i < n && err == nil; i++ {
		var c net.Conn
		if c, err = dialer().Dial("tcp", words[0]); err == nil {
			kept = append(kept, c)
			_, err = io.WriteString(c, words[2])
			r.Count++
		}
	}
	return err
}

// ask counts the answers by their codes.
func ask(r *result, words []string) error {
	n, err := strconv.Atoi(words[0])
	if err != nil {
		return err
	}
	var packets result
	err = packetsFrom(&packets, "udp", sandbox4+":53", n, words[1:])
	for _, text := range packets.All {
		if code := text[7]; code == '0' { // of the fourth byte's low half
			r.Count++
		} else {
			r.All = append(r.All, string(code))
		}
	}
	return err
}

func stop(*result, []string) error {
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}
