package attempt

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"time"
)

// dialTimeout bounds a connect that a packet filter swallows; a refusal by the kernel is at once.
const dialTimeout = 3 * time.Second

// answerTimeout bounds a wait for another program: an emulated machine is slow.
const answerTimeout = time.Minute

func netActions() map[string]action {
	return map[string]action{
		"tcp":   {"HOST:PORT", 1, 1, func(a []string) (Result, error) { return dial("tcp", a[0]) }},
		"udp":   {"HOST:PORT", 1, 1, func(a []string) (Result, error) { return dial("udp", a[0]) }},
		"unix":  {"PATH|@NAME", 1, 1, func(a []string) (Result, error) { return dial("unix", a[0]) }},
		"ask":   {"HOST:PORT: connect by TCP, send a line and tell the one that comes back", 1, 1, ask},
		"serve": {"ADDRESS:PORT: accept one connection, send back the line that comes, and tell it", 1, 1, serve},
	}
}

// dial connects and sends one word, so that a listener notices; a datagram's only sign of success is the absence of a
// refusal.
func dial(network, address string) (Result, error) {
	c, err := net.DialTimeout(network, address, dialTimeout)
	if err != nil {
		return Result{}, err
	}
	defer c.Close()
	if _, err := c.Write([]byte("probe\n")); err != nil {
		return Result{}, err
	}
	return said("%v to %v", c.LocalAddr(), c.RemoteAddr())
}

// ask is ok only if the other side answers: where a relay accepts connections a connect alone says nothing.
func ask(args []string) (Result, error) {
	c, err := net.DialTimeout("tcp", args[0], answerTimeout)
	if err != nil {
		return Result{}, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(answerTimeout))
	if _, err := fmt.Fprintln(c, "probe"); err != nil {
		return Result{}, err
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	return Result{Detail: strings.TrimSuffix(line, "\n")}, err
}

func serve(args []string) (Result, error) {
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		return Result{}, err
	}
	defer l.Close()
	l.(*net.TCPListener).SetDeadline(time.Now().Add(answerTimeout))
	c, err := l.Accept()
	if err != nil {
		return Result{}, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(answerTimeout))
	line, err := bufio.NewReader(c).ReadString('\n')
	if err == nil {
		_, err = c.Write([]byte(line))
	}
	return Result{Detail: strings.TrimSuffix(line, "\n")}, err
}
