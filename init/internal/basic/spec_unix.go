//go:build darwin || linux

package basic

import (
	"errors"
	"strconv"
	"strings"
)

// A spec is what the helper is told over its pipe: strings without NUL, each with one behind it.
type spec struct {
	dir, umask string
	user       ids
	command    string
	args, env  []string
	limits     []Limit
}

func (s *spec) encode() []byte {
	var b strings.Builder
	put := func(v string) { b.WriteString(v); b.WriteByte(0) }
	number := func(n uint64) { put(strconv.FormatUint(n, 10)) }
	put(s.dir)
	put(s.umask)
	put(strconv.Itoa(s.user.uid))
	put(strconv.Itoa(s.user.gid))
	put(s.command)
	for _, list := range [...][]string{s.args, s.env} {
		number(uint64(len(list)))
		for _, v := range list {
			put(v)
		}
	}
	number(uint64(len(s.limits)))
	for _, l := range s.limits {
		put(l.Name)
		number(uint64(l.Resource))
		number(l.Value)
		number(l.More)
		put(strconv.FormatBool(l.Try))
	}
	return []byte(strconv.Itoa(b.Len()) + "\n" + b.String())
}

var errSpec = errors.New("not what a launcher sends")

func decodeSpec(text string) (s *spec, err error) {
	next := func() string {
		v, rest, whole := strings.Cut(text, "\x00")
		if !whole {
			err = errSpec
		}
		text = rest
		return v
	}
	number := func() uint64 {
		n, bad := strconv.ParseUint(next(), 10, 64)
		if bad != nil {
			err = errSpec
		}
		return n
	}
	list := func() (l []string) {
		for n := number(); n > 0 && err == nil; n-- {
			l = append(l, next())
		}
		return l
	}
	s = &spec{dir: next(), umask: next()}
	s.user.uid, _ = strconv.Atoi(next())
	s.user.gid, _ = strconv.Atoi(next())
	s.command, s.args, s.env = next(), list(), list()
	for n := number(); n > 0 && err == nil; n-- {
		s.limits = append(s.limits, Limit{Name: next(), Resource: int(number()), Value: number(), More: number(), Try: next() == "true"})
	}
	if text != "" {
		err = errSpec
	}
	return s, err
}
