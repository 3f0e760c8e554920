package tryout

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A Server is how a host starts a server over standard input and output.
type Server struct {
	Command []string
	Env     []string // the whole environment, NAME=VALUE
	Dir     string

	Document []byte // the command reads it from descriptor 3; nil: there is none. Not on Windows
}

// What a server may send, and how long it may take to end when its input has ended.
const (
	longestLine = 16 << 20
	keptWords   = 16 << 10
	endsWithin  = 5 * time.Second
)

// The session: https://modelcontextprotocol.io/specification/2025-06-18/basic/lifecycle.
const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"mcp-sandbox","version":"1"}}}` + "\n"
	listTools = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
)

// Ask starts the server, asks for its tools, and ends the server. The result is the number of tools. An error has the
// last line that the server wrote to standard error.
func Ask(ctx context.Context, s *Server) (tools int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.Command[0], s.Command[1:]...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = s.Env, s.Dir, endsWithin
	words := &tail{}
	cmd.Stderr = words
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if s.Document != nil {
		from, to, err := os.Pipe()
		if err != nil {
			return 0, err
		}
		defer from.Close() // which ends the write to a command that does not read
		cmd.ExtraFiles = []*os.File{from}
		go func() {
			to.Write(s.Document)
			to.Close()
		}()
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	tools, err = converse(in, out)
	in.Close()
	if err != nil && ctx.Err() != nil {
		err = errors.New("no answer in time")
	}
	timer := time.AfterFunc(endsWithin, cancel)
	go io.Copy(io.Discard, out) // Wait closes out, for a process that outlives the server may hold the other end
	ended := cmd.Wait()
	timer.Stop()
	if err == nil {
		return tools, nil
	}
	if last := words.last(); last != "" {
		return 0, fmt.Errorf("%w: %s", err, last)
	}
	if ended != nil && ctx.Err() == nil { // else it was killed here
		return 0, fmt.Errorf("%w: %w", err, ended)
	}
	return 0, err
}

// converse holds the session.
func converse(in io.Writer, out io.Reader) (int, error) {
	lines := bufio.NewReaderSize(out, 64<<10)
	if _, err := io.WriteString(in, initialize); err != nil {
		return 0, errors.New("the server ended before it was asked anything")
	}
	if _, err := answer(lines, 1, "initialize"); err != nil {
		return 0, err
	}
	if _, err := io.WriteString(in, listTools); err != nil {
		return 0, errors.New("the server ended before tools/list")
	}
	result, err := answer(lines, 2, "tools/list")
	if err != nil {
		return 0, err
	}
	var list struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(result, &list); err != nil {
		return 0, fmt.Errorf("tools/list was answered with something else: %w", err)
	}
	return len(list.Tools), nil
}

// message is what an answer has. A server's own requests and notifications have a method.
type message struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

// notFound is the code of JSON-RPC for a method that is not there: a server without tools may say so.
const notFound = -32601

// answer waits for the answer with this id.
func answer(from *bufio.Reader, id int, method string) (json.RawMessage, error) {
	for {
		line, err := readLine(from)
		if err != nil {
			return nil, fmt.Errorf("%s was not answered: %w", method, err)
		}
		var m message
		if json.Unmarshal(line, &m) != nil || m.Method != "" || string(m.ID) != fmt.Sprint(id) {
			continue
		}
		if m.Error != nil && m.Error.Code == notFound && id == 2 {
			return json.RawMessage("{}"), nil
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s was answered with the error %d %.200q", method, m.Error.Code, m.Error.Message)
		}
		return m.Result, nil
	}
}

// readLine reads a line of bounded length.
func readLine(from *bufio.Reader) (line []byte, err error) {
	for {
		part, err := from.ReadSlice('\n')
		if line = append(line, part...); len(line) > longestLine {
			return nil, errors.New("a line is too long")
		}
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("its output ended")
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// tail keeps the end of what a server writes to standard error.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - keptWords; over > 0 {
		t.kept = t.kept[over:]
	}
	return len(b), nil
}

// last is the server's last line that is not empty, and behind it the last of mcp-sandbox's own, which begin with its
// name.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	server, own := "", ""
	for line := range bytes.Lines(t.kept) {
		text := strings.TrimSpace(string(line))
		switch {
		case text == "":
		case strings.HasPrefix(text, "mcp-sandbox: "):
			own = strings.TrimPrefix(text, "mcp-sandbox: ")
		default:
			server = text
		}
	}
	if server != "" && own != "" {
		server += "; "
	}
	return server + own
}
