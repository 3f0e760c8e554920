package dial

import (
	"bytes"
	"strconv"
	"strings"
)

const mostHeader = 8 << 10 // of an answer to CONNECT

// connect is the CONNECT method of HTTP.
type connect struct {
	proxy  Proxy
	target string // HOST:PORT
	header []byte // of the answer, as far as it has come
}

func (c *connect) hello() []byte {
	s := "CONNECT " + c.target + " HTTP/1.1\r\nHost: " + c.target + "\r\n"
	if c.proxy.login {
		s += "Proxy-Authorization: Basic " + base64Of(c.proxy.user+":"+c.proxy.password) + "\r\n"
	}
	return []byte(s + "\r\n")
}

// take reads the header of the answer: no body belongs to one of 2xx.
func (c *connect) take(come []byte) (taken int, send []byte, ended bool, err error) {
	before := len(c.header)
	c.header = append(c.header, come[:min(len(come), mostHeader+1-before)]...)
	end := headerEnd(c.header, max(0, before-2))
	if end > mostHeader || end < 0 && len(c.header) > mostHeader {
		return 0, nil, false, &Refused{Text: "a header of more than 8 KiB"}
	}
	if !strings.HasPrefix(string(c.header), "HTTP/1."[:min(len(c.header), len("HTTP/1."))]) {
		return 0, nil, false, &Refused{Text: "no answer of HTTP"}
	}
	if end < 0 {
		return len(come), nil, false, nil
	}
	if err := c.status(string(c.header[:end])); err != nil {
		return 0, nil, false, err
	}
	return end - before, nil, true, nil
}

// headerEnd is where an empty line behind from ends, or -1.
func headerEnd(b []byte, from int) int {
	crlf, lf := bytes.Index(b[from:], []byte("\n\r\n")), bytes.Index(b[from:], []byte("\n\n"))
	switch {
	case crlf >= 0 && (lf < 0 || crlf < lf):
		return from + crlf + 3
	case lf >= 0:
		return from + lf + 2
	}
	return -1
}

// status is nil if the first line says 200.
func (c *connect) status(header string) error {
	line, rest, _ := strings.Cut(header, "\n")
	_, code, _ := strings.Cut(strings.TrimRight(line, "\r"), " ")
	code, _, _ = strings.Cut(code, " ")
	n, err := strconv.ParseUint(code, 10, 16)
	switch {
	case err != nil || len(code) != 3:
		return &Refused{Text: "no answer of HTTP"}
	case n == 200:
		return nil
	case n == 407 && c.proxy.login && offersBasic(rest):
		return &Refused{407, "status 407: another name or password is wanted"}
	case n == 407 && offersBasic(rest):
		return &Refused{407, "status 407: a name and a password are wanted"}
	case n == 407:
		return &Refused{407, "status 407: a way to log in is wanted that is not Basic, which alone is spoken"}
	}
	return &Refused{int(n), "status " + code}
}

// offersBasic reports whether a challenge of the header is Basic.
func offersBasic(header string) bool {
	for line := range strings.SplitSeq(header, "\n") {
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(name, "proxy-authenticate") && strings.Contains(strings.ToLower(value), "basic") {
			return true
		}
	}
	return false
}

// base64Of is the standard encoding of RFC 4648. Package encoding/base64 makes tables of four encodings at every start.
func base64Of(s string) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var b []byte
	for i := 0; i < len(s); i += 3 {
		var group [3]byte
		n := copy(group[:], s[i:])
		v := uint(group[0])<<16 | uint(group[1])<<8 | uint(group[2])
		for j := range 4 {
			if j > n {
				b = append(b, '=')
			} else {
				b = append(b, digits[v>>(18-6*j)&63])
			}
		}
	}
	return string(b)
}
