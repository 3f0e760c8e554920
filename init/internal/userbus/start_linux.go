package userbus

import (
	"errors"
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
	var why error
	for _, at := range []struct {
		socket string
		bus    bool
	}{{"/systemd/private", false}, {"/bus", true}} {
		c, err := dial(dir+at.socket, uid, until)
		if err == nil {
			err = c.startScope(pids, at.bus)
			c.close()
			if err == nil || c.asked {
				return err // the manager has the call, and must not get a second one
			}
		}
		why = err
	}
	return why
}

// startScope makes the calls, each after the answer to the one before.
func (c *conn) startScope(pids []int, bus bool) error {
	if bus {
		if _, err := c.do(&hello, nil); err != nil {
			return err
		}
		if _, err := c.do(&addMatch, stringBody(match)); err != nil {
			return err
		}
		if _, err := c.do(&subscribe, nil); err != nil {
			return err
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
	return c.jobDone(job[0])
}

// jobDone waits for the signal with a job's result. The signal may have come before the answer that named the job.
func (c *conn) jobDone(job string) error {
	for i := 0; ; i++ {
		for i >= len(c.signals) {
			if err := c.next(); err != nil {
				return err
			}
		}
		m := &c.signals[i]
		s, ok := m.strings()
		if !ok || len(s) != 3 || s[0] != job { // id, job, unit, result
			continue
		}
		if s[2] != "done" {
			return errors.New("the scope's job ended with " + s[2])
		}
		return nil
	}
}
