package main

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
)

// serveRedis answers each command with OK. RESP, the protocol of Redis, begins each command with the number of its
// words.
func serveRedis(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		words, err := count(r, '*')
		for ; err == nil && words > 0; words-- {
			var size int64
			if size, err = count(r, '$'); err == nil {
				_, err = io.CopyN(io.Discard, r, size+int64(len("\r\n")))
			}
		}
		if err == nil {
			_, err = io.WriteString(c, "+OK\r\n")
		}
		if err != nil {
			return
		}
	}
}

// count reads a line that is a number behind a sign.
func count(r *bufio.Reader, sign byte) (int64, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(strings.TrimPrefix(line, string(sign))), 10, 32)
}
