package userbus

import (
	"errors"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// StartScope has the manager of a user move processes into a scope of their own, and waits for that. The call
// goes to the socket of the manager itself, or else to the user's bus.
func StartScope(uid int, pids []int, until time.Time) error {
	dir, err := runtimeDir(uid)
	if err != nil {
		return err
	}
	for _, at := range []struct {
		socket string
		bus    bool
	}{{"/systemd/private", false}, {"/bus", true}} {
		var c *conn
		if c, err = dial(dir+at.socket, uid, until); err == nil {
			err = c.startScope(pids, at.bus)
			c.Close()
			if err == nil || c.asked { // the manager has the call, and must not get a second one
				break
			}
		}
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("no answer in time")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the bus hung up")
	}
	return err
}

// startScope makes the calls, each after the answer to the one before.
func (c *conn) startScope(pids []int, bus bool) error {
	if bus {
		for _, m := range [...]struct {
			*call
			body []byte
		}{{&hello, nil}, {&addMatch, stringBody(match)}, {&subscribe, nil}} {
			if _, err := c.do(m.call, m.body); err != nil {
				return err
			}
		}
	}
	unit := "mcp-sandbox-" + strconv.Itoa(unix.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36) + ".scope"
	c.asked = true
	answer, err := c.do(&startUnit, scopeBody(unit, pids))
	if err != nil {
		return err
	}
	job, ok := answer.strings()
	if !ok || len(job) != 1 {
		return errMessage
	}
	// The signal with the job's result may have come before the answer that named the job.
	var result []string // job, unit, result
	_, err = c.await(func(m *message) bool {
		result, ok = m.strings()
		return m.kind == signal && ok && len(result) == 3 && result[0] == job[0]
	})
	if err == nil && result[2] != "done" {
		err = errors.New("the scope's job ended with " + result[2])
	}
	return err
}
