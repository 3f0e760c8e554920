package egress_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

func banner(r *result, words []string) error {
	return goes(words[0], func(c *net.TCPConn) error {
		line, err := bufio.NewReader(c).ReadString('\n')
		r.Text = strings.TrimSpace(line)
		return err
	})
}

func halfClose(r *result, words []string) error {
	return goes(words[0], func(c *net.TCPConn) error {
		if _, err := io.WriteString(c, words[1]); err != nil {
			return err
		}
		if err := c.CloseWrite(); err != nil {
			return err
		}
		b, err := io.ReadAll(c)
		r.Text = string(b)
		return err
	})
}

func late(r *result, words []string) error {
	return goes(words[0], func(c *net.TCPConn) error {
		b, err := io.ReadAll(c)
		if r.Text = string(b); err != nil {
			return err
		}
		_, err = io.WriteString(c, words[1])
		return err
	})
}

func readAll(r *result, words []string) error {
	return goes(words[0], func(c *net.TCPConn) error {
		if _, err := io.WriteString(c, words[1]); err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, c)
		r.Count = n
		return err
	})
}

func fromSource(r *result, words []string) error {
	return goes(words[0], func(c *net.TCPConn) error {
		if _, err := io.WriteString(c, words[1]+"\n"); err != nil {
			return err
		}
		h := sha256.New()
		n, err := io.Copy(h, c)
		r.Text = fmt.Sprintf("%d %s", n, hex.EncodeToString(h.Sum(nil)))
		return err
	})
}

func toSink(r *result, words []string) error {
	n, err := strconv.ParseInt(words[1], 10, 64)
	if err != nil {
		return err
	}
	return goes(words[0], func(c *net.TCPConn) error {
		if _, err := io.Copy(c, io.LimitReader(new(pattern), n)); err != nil {
			return err
		}
		if err := c.CloseWrite(); err != nil {
			return err
		}
		b, err := io.ReadAll(c)
		r.Text = string(b)
		return err
	})
}

func abort(_ *result, words []string) error {
	return goes(words[0], func(c *net.TCPConn) error {
		c.SetLinger(0)
		return echoed(c, words[1])
	})
}

// echoed sends a text and demands the same back.
func echoed(c net.Conn, text string) error {
	if _, err := io.WriteString(c, text); err != nil {
		return err
	}
	b := make([]byte, len(text))
	if _, err := io.ReadFull(c, b); err != nil {
		return err
	}
	if string(b) != text {
		return errors.New("other bytes came back: " + strconv.Quote(string(b)))
	}
	return nil
}

// over ends a connection, and waits for the host's end: then the launcher has room for another.
func over(c net.Conn) {
	_ = c.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, c)
	c.Close()
}

// many counts the connections that echo while all before them are open, tries one more (All), and then the first again.
func many(r *result, words []string) error {
	n, err := strconv.Atoi(words[1])
	if err != nil {
		return err
	}
	var first net.Conn
	for i := range n + 1 {
		c, err := dialer().Dial("tcp", words[0])
		if err == nil {
			defer over(c)
			err = echoed(c, strconv.Itoa(i))
		}
		switch {
		case err != nil && i < n:
			return fmt.Errorf("number %d: %w", i, err)
		case err != nil:
			r.All = append(r.All, errorName(err))
		default:
			r.Count++
		}
		if i == 0 {
			first = c
		}
	}
	return echoed(first, "still")
}

func serial(r *result, words []string) error {
	n, err := strconv.Atoi(words[1])
	for i := 0; i < n && err == nil; i++ {
		if err = goes(words[0], func(c *net.TCPConn) error { return echoed(c, strconv.Itoa(i)) }); err == nil {
			r.Count++
		}
	}
	return err
}

// streams has so many connections at once, each with so many bytes there and back.
func streams(r *result, words []string) error {
	n, err := strconv.Atoi(words[1])
	size, err2 := strconv.ParseInt(words[2], 10, 64)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	want := patternHash(size)
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			errs[i] = goes(words[0], func(c *net.TCPConn) error {
				c.SetDeadline(time.Now().Add(6 * patience)) // so many take longer than one
				return thereAndBack(c, size, want)
			})
		})
	}
	all.Wait()
	for _, err := range errs {
		if err == nil {
			r.Count++
		}
	}
	return errors.Join(errs...)
}

func thereAndBack(c *net.TCPConn, size int64, want string) error {
	sent := make(chan error, 1)
	go func() {
		_, err := io.Copy(c, io.LimitReader(new(pattern), size))
		sent <- errors.Join(err, c.CloseWrite())
	}()
	h := sha256.New()
	n, err := io.Copy(h, c)
	if err = errors.Join(err, <-sent); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return fmt.Errorf("%d bytes of %d came back, and others", n, size)
	}
	return nil
}

func sendBytes(r *result, words []string) error {
	b, err := hex.DecodeString(words[1])
	if err != nil {
		return err
	}
	return goes(words[0], func(c *net.TCPConn) error {
		if _, err := c.Write(b); err != nil {
			return err
		}
		c.CloseWrite() // ENOTCONN where a reset came first, which the read tells
		var got bytes.Buffer
		_, err := io.Copy(&got, c)
		r.Text = got.String()
		return err
	})
}
