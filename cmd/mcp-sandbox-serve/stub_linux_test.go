package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// A stubServer is a server whose tools misbehave.
type stubServer struct {
	marker, mode string
	out          sync.Mutex
	mu           sync.Mutex
	listens      []json.RawMessage
	answers      chan string
}

type stubMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string `json:"name"`
		Arguments struct {
			Text string `json:"text"`
			N    int    `json:"n"`
		} `json:"arguments"`
		Meta map[string]json.RawMessage `json:"_meta"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Raw    string          `json:"-"`
}

// forever waits in the kernel: a goroutine that waited alone would be a deadlock, by which Go ends the process.
func forever() {
	for {
		_, _ = unix.Ppoll(nil, nil, nil)
	}
}

// stub is its process. words are a marker and a mode.
func stub(words []string) int {
	s := &stubServer{marker: words[0], mode: words[1], answers: make(chan string, 100)}
	switch s.mode {
	case "dies":
		return 3
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		exec.Command("/proc/self/exe", "stub", s.marker, "child").Start()
	case "child":
		signal.Ignore(syscall.SIGTERM)
		forever()
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && (s.mode == "stubborn" || s.mode == "lingers") {
			forever()
		} else if err != nil {
			return 0
		}
		m := stubMessage{Raw: string(bytes.TrimSpace(line))}
		json.Unmarshal(line, &m)
		if s.mode == "shuts" && m.Method == "tools/call" {
			syscall.Close(0)
		}
		if (s.mode == "deaf" || s.mode == "shuts") && m.Method == "tools/call" {
			forever()
		}
		go s.take(m)
	}
}

func (s *stubServer) line(format string, args ...any) {
	s.out.Lock()
	defer s.out.Unlock()
	fmt.Printf(format+"\n", args...)
}

func (s *stubServer) text(m stubMessage, text string) {
	quoted, _ := json.Marshal(text)
	s.line(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":%s}]}}`, m.ID, quoted)
}

func (s *stubServer) take(m stubMessage) {
	switch m.Method {
	case "server/discover":
		switch s.mode {
		case "modern":
			s.line(`{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"]}}`, m.ID)
		case "wantsSecret":
			if os.Getenv("SECRET") == "" {
				os.Exit(4)
			}
			s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32022,"message":"no"}}`, m.ID)
		case "leaves":
			s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"not before initialize"}}`, m.ID)
			os.Exit(6)
		case "silent":
		default:
			s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}`, m.ID)
		}
	case "initialize":
		switch s.mode {
		case "refuses":
			s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"not you"}}`, m.ID)
		case "mute":
		case "endsEarly":
			os.Exit(5)
		default:
			s.line(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},`+
				`"serverInfo":{"name":"stub","version":"1"}}}`, m.ID)
		}
	case "tools/call":
		s.call(m)
	case "subscriptions/listen":
		s.mu.Lock()
		s.listens = append(s.listens, m.ID)
		s.mu.Unlock()
		s.line(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{},`+
			`"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, m.ID)
	case "":
		s.answers <- m.Raw
	case "notifications/cancelled":
		s.answers <- m.Raw
	default:
		if m.ID != nil && m.Method != "ping" {
			s.line(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no method"}}`, m.ID)
		} else if m.ID != nil {
			s.line(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}
	}
}

func (s *stubServer) call(m stubMessage) {
	text, n := m.Params.Arguments.Text, m.Params.Arguments.N
	switch m.Params.Name {
	case "echo":
		s.text(m, m.Raw)
	case "raw": // the text as lines, with the call's own id in it, and then an answer
		s.line("%s", strings.ReplaceAll(text, "$ID", string(m.ID)))
		s.text(m, "done")
	case "only": // the text alone
		s.line("%s", strings.ReplaceAll(text, "$ID", string(m.ID)))
	case "die":
		os.Exit(7)
	case "hang":
	case "progress":
		s.line(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1.50}}`,
			m.Params.Meta["progressToken"])
		s.text(m, "done")
	case "flood":
		pad := strings.Repeat("x", 1000)
		for i := range n {
			s.line(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%d %s"}}`, i, pad)
		}
		fmt.Fprintln(os.Stderr, "all is said")
		s.text(m, "done")
	case "long":
		s.line(`{"jsonrpc":"2.0","method":"x","params":{"data":"%s"}}`, strings.Repeat("x", n))
	case "ask":
		s.line(`{"jsonrpc":"2.0","id":"of-server","method":"sampling/createMessage","params":{}}`)
		s.text(m, <-s.answers)
	case "heard": // what came besides requests
		s.text(m, <-s.answers)
	case "change":
		s.mu.Lock()
		for _, id := range s.listens {
			s.line(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{`+
				`"io.modelcontextprotocol/subscriptionId":%s}}}`, id)
		}
		s.mu.Unlock()
		s.text(m, "done")
	case "stderr":
		fmt.Fprintln(os.Stderr, text)
		s.text(m, "done")
	case "env":
		s.text(m, strings.Join(os.Environ(), "\n"))
	case "sh":
		out, err := exec.Command("/bin/sh", "-c", text).CombinedOutput()
		s.text(m, fmt.Sprint(string(out), err))
	case "wait":
		span := syscall.NsecToTimespec(int64(n) * 1e6)
		for syscall.Nanosleep(&span, &span) == syscall.EINTR { // the runtime's own signals
		}
		s.text(m, "done")
	}
}
