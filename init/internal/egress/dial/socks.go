package dial

import "net/netip"

// socks is SOCKS version 5 (RFC 1928) with or without a name and password (RFC 1929).
type socks struct {
	proxy Proxy
	host  string
	port  uint16
	stage stage
	in    []byte // the message that is coming
}

type stage uint8

const (
	method stage = iota // the proxy chooses how to log in
	login               // it says whether name and password are right
	answer              // it says whether the target is reached
)

const (
	version   = 5
	noLogin   = 0
	withLogin = 2
)

var errNoSocks = &Refused{Text: "no answer of socks5"}

func (s *socks) hello() []byte {
	if s.proxy.login {
		return []byte{version, 2, noLogin, withLogin}
	}
	return []byte{version, 1, noLogin}
}

func (s *socks) take(come []byte) (taken int, send []byte, ended bool, err error) {
	for taken < len(come) {
		n := min(s.whole()-len(s.in), len(come)-taken)
		s.in = append(s.in, come[taken:taken+n]...)
		taken += n
		if len(s.in) < s.whole() {
			continue // the length was not known before
		}
		send, ended, err = s.message()
		if err != nil || ended || send != nil {
			s.in = nil
			return taken, send, ended, err
		}
	}
	return taken, nil, false, nil
}

// whole is the length of the message that is coming, as far as that is known.
func (s *socks) whole() int {
	if s.stage != answer || len(s.in) < 2 || s.in[0] != version || s.in[1] != 0 {
		return 2 // nothing behind a refusal is read
	}
	if len(s.in) < 5 {
		return 5
	}
	switch s.in[3] {
	case 1:
		return 4 + 4 + 2
	case 3:
		return 4 + 1 + int(s.in[4]) + 2
	case 4:
		return 4 + 16 + 2
	}
	return 5
}

// message takes the whole message.
func (s *socks) message() (send []byte, ended bool, err error) {
	switch s.stage {
	case method:
		return s.chosen()
	case login:
		if s.in[1] != 0 {
			return nil, false, &Refused{Text: "another name or password is wanted"}
		}
		s.stage = answer
		return s.request(), false, nil
	}
	switch {
	case s.in[0] != version:
		return nil, false, errNoSocks
	case s.in[1] != 0:
		return nil, false, &Refused{int(s.in[1]), reply(s.in[1])}
	case len(s.in) == 5: // an address of no known type
		return nil, false, errNoSocks
	}
	return nil, true, nil
}

func (s *socks) chosen() (send []byte, ended bool, err error) {
	switch {
	case s.in[0] != version:
		return nil, false, errNoSocks
	case s.in[1] == noLogin:
		s.stage = answer
		return s.request(), false, nil
	case s.in[1] == withLogin && s.proxy.login:
		s.stage = login
		b := append([]byte{1, byte(len(s.proxy.user))}, s.proxy.user...)
		return append(append(b, byte(len(s.proxy.password))), s.proxy.password...), false, nil
	case s.proxy.login:
		return nil, false, &Refused{Text: "a way to log in is wanted that is not spoken"}
	}
	return nil, false, &Refused{Text: "a name and a password are wanted"}
}

func (s *socks) request() []byte {
	b := []byte{version, 1 /* CONNECT */, 0}
	if a, err := netip.ParseAddr(s.host); err != nil {
		b = append(append(b, 3, byte(len(s.host))), s.host...)
	} else if a.Is4() {
		b = append(append(b, 1), a.AsSlice()...)
	} else {
		b = append(append(b, 4), a.AsSlice()...)
	}
	return append(b, byte(s.port>>8), byte(s.port))
}

// reply is a reply of RFC 1928, section 6, in its words.
func reply(n byte) string {
	switch n {
	case 1:
		return "reply 1: general failure"
	case 2:
		return "reply 2: not allowed by its rules"
	case 3:
		return "reply 3: network unreachable"
	case 4:
		return "reply 4: host unreachable"
	case 5:
		return "reply 5: connection refused"
	case 6:
		return "reply 6: time to live expired"
	}
	return "an unknown reply"
}
