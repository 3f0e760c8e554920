package world

import (
	"encoding/binary"
	"io"
	"net"
)

// ServeNames answers at the world's name server's address, over UDP and over TCP, until the process ends. It calls
// answer for each question, of several questions at the same time. network is "udp" or "tcp", and reply may be called
// any number of times.
func ServeNames(answer func(question []byte, network string, reply func([]byte))) error {
	at := net.JoinHostPort(NameServer, "53")
	udp, err := net.ListenPacket("udp", at)
	if err != nil {
		return err
	}
	tcp, err := net.Listen("tcp", at)
	if err != nil {
		udp.Close()
		return err
	}
	go func() {
		for {
			b := make([]byte, 4096)
			n, from, err := udp.ReadFrom(b)
			if err != nil {
				return
			}
			go answer(b[:n], "udp", func(b []byte) { _, _ = udp.WriteTo(b, from) })
		}
	}()
	go func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return
			}
			go serveStream(c, answer)
		}
	}()
	return nil
}

// serveStream answers the questions of a connection in their order (RFC 1035, 4.2.2).
func serveStream(c net.Conn, answer func([]byte, string, func([]byte))) {
	defer c.Close()
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		b := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		answer(b, "tcp", func(b []byte) {
			_, _ = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...))
		})
	}
}
