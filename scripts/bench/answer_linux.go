package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// initialize is the first line of an MCP client.
const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}` + "\n"

// longest is how long a first start may take.
const longest = 3 * time.Minute

// answer starts a server, and is the time until it has answered initialize.
func (b starter) answer(c *exec.Cmd) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	c.SysProcAttr = &syscall.SysProcAttr{Credential: b.cred, Setsid: true}
	var words bytes.Buffer
	c.Stderr = &words
	c.WaitDelay = 5 * time.Second
	in, err := c.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := c.Start(); err != nil {
		return 0, err
	}
	stop := func(s syscall.Signal) func() { return func() { syscall.Kill(-c.Process.Pid, s) } }
	late := context.AfterFunc(ctx, stop(syscall.SIGKILL))
	io.WriteString(in, initialize) // one that has ended does not answer
	line, err := bufio.NewReader(out).ReadString('\n')
	took := time.Since(began)
	in.Close()
	stop(syscall.SIGTERM)()
	hard := time.AfterFunc(5*time.Second, stop(syscall.SIGKILL))
	c.Wait()
	hard.Stop()
	late()
	if err != nil || !strings.Contains(line, `"serverInfo"`) {
		return 0, fmt.Errorf("%q, %w\n%s", line, err, words.String())
	}
	return took, nil
}
