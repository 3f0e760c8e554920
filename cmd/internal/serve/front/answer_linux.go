package front

import (
	"cmp"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/wire"
)

const (
	soonEnough = 250 * time.Millisecond // for an answer alone; later it is a stream's
	aliveEvery = 15 * time.Second
)

// reply answers with a short text.
func reply(w http.ResponseWriter, status int, kind, text string) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(ioTime))
	if status == http.StatusAccepted || status == http.StatusNoContent {
		w.WriteHeader(status)
		return
	}
	if kind == "" {
		kind, text = "text/plain; charset=utf-8", cmp.Or(text, http.StatusText(status))+"\n"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	io.WriteString(w, text)
}

// invalid answers with an error of JSON-RPC.
func invalid(w http.ResponseWriter, id []byte, code int, text string, data any) {
	reply(w, http.StatusBadRequest, "application/json", string(wire.Failure(id, code, text, data)))
}

// answer writes what comes of a call.
func answer(w http.ResponseWriter, r *http.Request, s *session.Session, c *session.Call) {
	defer s.Leave(c)
	late := time.NewTimer(soonEnough)
	defer late.Stop()
	message, ended := c.Take()
	for waiting := message == nil && !ended; waiting; {
		select {
		case <-c.Ready():
			message, ended = c.Take()
			waiting = message == nil && !ended
		case <-late.C:
			waiting = false
		case <-r.Context().Done():
			return
		}
	}
	if ended && message != nil {
		alone(w, s.Modern, message)
		return
	}
	stream(w, r, c.Stream, message)
}

// alone writes an answer without a stream.
func alone(w http.ResponseWriter, modern bool, message []byte) {
	status := http.StatusOK
	if m, err := wire.Parse(message); err == nil && modern {
		switch m.Code() {
		case wire.CodeNoMethod:
			status = http.StatusNotFound
		case wire.CodeParams, wire.CodeHeaders, wire.CodeCapability, wire.CodeVersion:
			status = http.StatusBadRequest
		}
	}
	reply(w, status, "application/json", string(message))
}

// stream writes messages as events until none follows, or the client is gone. A message has no end of a line: each is
// one line of data, whatever a server wrote.
func stream(w http.ResponseWriter, r *http.Request, st *session.Stream, first []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	out := http.NewResponseController(w)
	if first != nil && !event(w, out, first) {
		return
	}
	for {
		message, ended := st.Take()
		if message != nil && !event(w, out, message) {
			return
		}
		if message != nil && !ended {
			continue
		}
		out.SetWriteDeadline(time.Now().Add(ioTime))
		if out.Flush() != nil || ended {
			return
		}
		select {
		case <-st.Ready():
		case <-alive.C:
			io.WriteString(w, ": alive\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

// event writes one event, and reports whether the client took it.
func event(w io.Writer, out *http.ResponseController, message []byte) bool {
	out.SetWriteDeadline(time.Now().Add(ioTime))
	for _, part := range [...][]byte{[]byte("event: message\ndata: "), message, []byte("\n\n")} {
		if _, err := w.Write(part); err != nil {
			return false
		}
	}
	return true
}
