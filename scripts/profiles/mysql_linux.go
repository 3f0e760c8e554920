package main

import (
	"io"
	"net"
	"strings"
)

const mysqlPort = 3306

// serveMySQL greets a client, lets anybody in, and answers each query with OK. MySQL's protocol has the length of a
// packet in three bytes in front of it, and then its number within the exchange.
func serveMySQL(c net.Conn) {
	defer c.Close()
	const ( // flags: protocol 4.1, password, database, plugin; utf8; autocommit
		version    = "\x0a8.0.0-test\x00"
		connection = "\x01\x00\x00\x00"
		salt       = "12345678"
		flags      = "\x00\x09\xa2\xff\x02\x00\x08\x00\x15"
		rest       = "123456789012\x00mysql_native_password\x00"
		ok         = "\x00\x00\x00\x02\x00\x00\x00"
	)
	send := func(number byte, body string) error {
		_, err := c.Write(append([]byte{byte(len(body)), 0, 0, number}, body...))
		return err
	}
	if send(0, version+connection+salt+flags+strings.Repeat("\x00", 10)+rest) != nil {
		return
	}
	for {
		var head [4]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		size := int64(head[0]) | int64(head[1])<<8 | int64(head[2])<<16
		if _, err := io.CopyN(io.Discard, c, size); err != nil {
			return
		}
		if send(head[3]+1, ok) != nil {
			return
		}
	}
}
