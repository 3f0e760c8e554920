package egress_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// held are connections that acts leave to acts after them.
var held []net.Conn

// wait waits for a byte of standard input: what the test does meanwhile is up to the test.
func wait(*result, []string) error {
	_, err := io.ReadFull(os.Stdin, make([]byte, 1))
	return err
}

// crowd opens so many connections at once, each of which echoes or has an error, and holds those that echo.
func crowd(r *result, words []string) error {
	n, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}
	all, errs := make([]net.Conn, n), make([]error, n)
	var dials sync.WaitGroup
	for i := range n {
		dials.Go(func() {
			if all[i], errs[i] = dialer().Dial("tcp", words[0]); errs[i] == nil {
				all[i].SetDeadline(time.Now().Add(patience))
				errs[i] = echoed(all[i], strconv.Itoa(i))
			}
		})
	}
	dials.Wait()
	for i, c := range all {
		if errs[i] == nil {
			held = append(held, c)
			r.Count++
			continue
		}
		if name := errorName(errs[i]); !slices.Contains(r.All, name) {
			r.All = append(r.All, name)
		}
		if c != nil {
			c.Close()
		}
	}
	return nil
}

// drop closes what is held.
func drop(*result, []string) (err error) {
	for _, c := range held {
		err = errors.Join(err, c.Close())
	}
	held = nil
	return err
}

// stall asks a source for bytes by so many connections, and reads none of them.
func stall(r *result, words []string) error {
	n, err := strconv.Atoi(words[2])
	for i := 0; i < n && err == nil; i++ {
		var c net.Conn
		if c, err = dialer().Dial("tcp", words[0]); err == nil {
			held = append(held, c)
			_, err = io.WriteString(c, words[1]+"\n")
			r.Count++
		}
	}
	return err
}

// drain reads what is held to the end, and demands so many bytes of [pattern] of each.
func drain(r *result, words []string) error {
	size, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return err
	}
	want := patternHash(size)
	for _, c := range held {
		h := sha256.New()
		c.SetDeadline(time.Now().Add(patience))
		if _, err := io.Copy(h, c); err != nil {
			return err
		}
		if hex.EncodeToString(h.Sum(nil)) != want {
			return fmt.Errorf("stream %d has other bytes", r.Count)
		}
		r.Count++
	}
	return drop(r, nil)
}

// push writes to a server that does not read, by so many connections, until no more is taken.
func push(r *result, words []string) error {
	n, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}
	for range n {
		c, err := dialer().Dial("tcp", words[0])
		if err != nil {
			return err
		}
		held = append(held, c)
		c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) // without a sign that no more is taken
		sent, err := io.Copy(c, new(pattern))
		if r.Count += sent; !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
	}
	return nil
}

// busy has so many connections echo without a pause for a while, each at least once, and counts those that did.
func busy(r *result, words []string) error {
	n, err := strconv.Atoi(words[1])
	during, err2 := time.ParseDuration(words[2])
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	for range n {
		c, err := dialer().Dial("tcp", words[0])
		if err != nil {
			return err
		}
		held = append(held, c)
	}
	var moved atomic.Int64
	var all sync.WaitGroup
	until := time.Now().Add(during)
	for _, c := range held {
		c.SetDeadline(until.Add(6 * patience)) // so many take longer than one
		all.Go(func() {
			b := make([]byte, 64<<10)
			for first := true; first || time.Now().Before(until); first = false {
				if _, err := c.Write(b); err != nil {
					return
				}
				if _, err := io.ReadFull(c, b); err != nil {
					return
				}
				if first {
					moved.Add(1)
				}
			}
		})
	}
	all.Wait()
	r.Count = moved.Load()
	return drop(r, nil)
}

// flood asks for so many names below one, many at once, and counts the answers by their code (All).
func flood(r *result, words []string) error {
	n, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}
	c, err := net.Dial("tcp", sandbox4+":53")
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(6 * patience))
	from, below := bufio.NewReader(c), strings.Split(words[0], ".")
	codes := map[byte]int64{}
	const together = 32
	for i := 0; i < n; i += together {
		var packets []byte
		count := min(together, n-i)
		for j := range count {
			packet := asking(labels(append([]string{"n" + strconv.Itoa(i+j) + "-of-a-flood-of-names"}, below...)...), typeA, 1)
			packets = append(append(packets, byte(len(packet)>>8), byte(len(packet))), packet...)
		}
		if _, err := c.Write(packets); err != nil {
			return err
		}
		for range count {
			var size [2]byte
			if _, err := io.ReadFull(from, size[:]); err != nil {
				return err
			}
			b := make([]byte, int(size[0])<<8|int(size[1]))
			if _, err := io.ReadFull(from, b); err != nil {
				return err
			}
			codes[b[3]&15]++
			r.Count++
		}
	}
	for code, count := range codes {
		r.All = append(r.All, fmt.Sprintf("%s %d", []string{"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN"}[code&3], count))
	}
	return nil
}

// pester sends so many questions below a name and waits for no answer.
func pester(r *result, words []string) error {
	n, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}
	c, err := net.Dial("udp", sandbox4+":53")
	if err != nil {
		return err
	}
	held = append(held, c)
	for ; r.Count < int64(n) && err == nil; r.Count++ {
		name := append([]string{"n" + strconv.FormatInt(r.Count, 10)}, strings.Split(words[0], ".")...)
		_, err = c.Write(asking(labels(name...), typeA, 1))
	}
	return err
}
