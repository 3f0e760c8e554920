package egress_test

import (
	"net"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// loop does one thing so many times, as fast as it goes, and counts the microseconds of processor time that it took.
func loop(r *result, words []string) error {
	n, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	var c net.Conn
	if words[0] != "connect" {
		if c, err = net.Dial(map[string]string{"datagram": "udp", "byte": "tcp", "name": "udp"}[words[0]], words[1]); err != nil {
			return err
		}
		defer c.Close()
	}
	for i := range n {
		switch words[0] {
		case "connect":
			if c, err := dialer().Dial("tcp", words[1]); err == nil {
				c.Close()
			}
		case "name":
			c.SetDeadline(time.Now().Add(patience))
			c.Write(asking(labels("n"+strconv.Itoa(i), "example", "org"), typeA, 1))
			c.Read(make([]byte, 512))
		default:
			c.Write([]byte("x"))
		}
	}
	var took unix.Rusage
	err = unix.Getrusage(unix.RUSAGE_SELF, &took)
	r.Count = (took.Utime.Nano() + took.Stime.Nano()) / 1000
	return err
}

// A server that does nothing but what costs the launcher work has it work no longer than a few times what the server
// itself does: docs/SECURITY.md has the numbers.
func TestLoopsCostLittle(t *testing.T) { both(t, testLoopsCostLittle) }

func testLoopsCostLittle(t *testing.T, in confinement) {
	const most = 4
	s := newSite(t, "loops.example.com").serve(t, 7, func(c *net.TCPConn) {
		for b := make([]byte, 64<<10); ; {
			if _, err := c.Read(b); err != nil {
				return
			}
		}
	})
	for kind, place := range map[string]string{"datagram": "203.0.113.9:9", "connect": "10.9.9.9:1", "name": sandbox4 + ":53", "byte": s.Name + ":7"} {
		t.Run(kind, func(t *testing.T) {
			n := "3000"
			if kind == "byte" || kind == "datagram" {
				n = "20000"
			}
			run := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}.session(t, act("wait"), act("loop", kind, place, n), act("wait"))
			before := run.used()
			run.release()
			server := time.Duration(run.next().Count) * time.Microsecond
			launcher := run.used() - before
			if t.Logf("the launcher took %v, the server %v", launcher, server); launcher > most*server+100*time.Millisecond || server == 0 {
				t.Errorf("that is more than %d times as much", most)
			}
			run.release()
			run.end()
		})
	}
}
