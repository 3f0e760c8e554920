package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	echoArg   = "-as-echoes" // this program is a server that answers at once
	notices   = 100_000
	noticeOf  = 1000 // bytes
	callsEach = 20   // of a round
)

// echoes answers each request, a call of the tool flood after notifications of 1 kB.
func echoes() error {
	out := bufio.NewWriter(os.Stdout)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); out.Flush() {
		var m struct {
			ID     json.RawMessage
			Params struct{ Name string }
		}
		if err := json.Unmarshal(in.Bytes(), &m); err != nil || m.ID == nil {
			continue
		}
		if m.Params.Name == "flood" {
			pad := strings.Repeat("x", noticeOf)
			for range notices {
				fmt.Fprintf(out, `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":%q}}`+"\n", pad)
			}
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},`+
			`"serverInfo":{"name":"echoes","version":"1"}}}`+"\n", m.ID)
	}
	return nil
}

func callOf(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`+"\n", id, tool)
}

// A serving is a running mcp-sandbox-serve, or a handler in its place.
type serving struct {
	url, session string
	cmd          *exec.Cmd
	calls        int
}

func startServing(b *bench, command func(...string) *exec.Cmd) (*serving, error) {
	c := command(b.path("mcp-sandbox-serve"), "--listen", "127.0.0.1:0", "--log", "json",
		"--max-sandboxes", "999", "--max-per-principal", "999", "--", b.path("host"), echoArg)
	log, err := c.StderrPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return nil, err
	}
	s, said := &serving{cmd: c}, ""
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line struct{ URL string }
		said += lines.Text() + "\n"
		if json.Unmarshal(lines.Bytes(), &line); line.URL != "" {
			s.url = line.URL
			go io.Copy(io.Discard, log)
			return s, nil
		}
	}
	return nil, errors.Join(errors.New(said), c.Wait())
}

func (s *serving) end() {
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Process.Signal(syscall.SIGINT) // without a drain
	s.cmd.Wait()
}

// post sends a message and reads its answer; lines is how many lines that has.
func (s *serving) post(method, body string) (header http.Header, lines int, err error) {
	r, err := http.NewRequest(method, s.url, strings.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	if s.session != "" {
		r.Header.Set("Mcp-Session-Id", s.session)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, 0, err
	}
	defer a.Body.Close()
	in := bufio.NewScanner(a.Body)
	for in.Scan() {
		lines++
	}
	if a.StatusCode/100 != 2 {
		err = errors.New(a.Status)
	}
	return a.Header, lines, errors.Join(err, in.Err())
}

func (s *serving) begin() (took time.Duration, err error) {
	began := time.Now()
	s.session = ""
	header, _, err := s.post(http.MethodPost, initialize)
	s.session = header.Get("Mcp-Session-Id")
	return time.Since(began), err
}

// call is the median time of a call.
func (s *serving) call() (time.Duration, error) {
	return median(callsEach, func() error {
		s.calls++
		_, _, err := s.post(http.MethodPost, callOf(s.calls, "echo"))
		return err
	})
}

// piped is the same server by its standard streams, in a sandbox of mcp-sandbox run.
func piped(b *bench) (call func() (time.Duration, error), end func(), err error) {
	c := b.command(b.path("mcp-sandbox"), "run", "--", b.path("host"), echoArg)
	in, err := c.StdinPipe()
	out, bad := c.StdoutPipe()
	if err = errors.Join(err, bad); err == nil {
		err = c.Start()
	}
	lines := bufio.NewReader(out)
	return func() (time.Duration, error) {
		return median(callsEach, func() error {
			io.WriteString(in, callOf(1, "echo"))
			_, err := lines.ReadString('\n')
			return err
		})
	}, func() { in.Close(); c.Wait() }, err
}

// bare is a handler of net/http that answers as much.
func bare() (*serving, func(), error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	})}
	go s.Serve(l)
	return &serving{url: "http://" + l.Addr().String()}, func() { s.Close() }, nil
}

// measureServe measures mcp-sandbox-serve beside the same server by its standard streams, and prints each goal.
func measureServe(b *bench, rounds int) error {
	full := func(words ...string) *exec.Cmd { return b.command(words[0], words[1:]...) }
	s, err := startServing(b, full)
	if err != nil {
		return err
	}
	defer s.end()
	plain, stop, err := bare()
	if err != nil {
		return err
	}
	defer stop()
	stdio, end, err := piped(b)
	if err != nil {
		return err
	}
	defer end()
	rows := []*variant{
		{name: "initialize to answer, mcp-sandbox run", answer: func() (time.Duration, error) {
			return starter{bench: b}.answer(b.command(b.path("mcp-sandbox"), "run", "--", b.path("host"), echoArg))
		}},
		{name: "initialize to answer, serve", answer: func() (took time.Duration, err error) {
			if took, err = s.begin(); err == nil {
				_, _, err = s.post(http.MethodDelete, "")
			}
			return took, err
		}},
		{name: "a call, mcp-sandbox run", answer: stdio}, {name: "a call, a bare handler", answer: plain.call},
		{name: "a call, serve", answer: s.call},
	}
	calls := *s
	rows[4].answer = calls.call
	if _, err := calls.begin(); err != nil {
		return err
	}
	if err := answers(rows, 2, rounds); err != nil {
		return err
	}
	fmt.Printf("\n| mcp-sandbox-serve, medians of %d, %s | ms |\n|---|---|\n", rounds, load())
	for _, v := range rows {
		fmt.Printf("| %s | %.2f |\n", v.name, v.quantile(0.5))
	}
	began := time.Now()
	if _, lines, err := calls.post(http.MethodPost, callOf(0, "flood")); err != nil || lines < notices {
		return fmt.Errorf("%d lines of notifications, %w", lines, err)
	}
	fmt.Printf("| notifications of 1 kB on a stream, a second | %.0f |\n", notices/time.Since(began).Seconds())
	return waitingSessions(b, s)
}
