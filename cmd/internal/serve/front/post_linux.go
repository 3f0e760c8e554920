package front

import (
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/wire"
)

// firstModern is the first version in which each request stands for itself. Dates compare as text does.
const firstModern = "2026-07-28"

// legacies are the versions before it that are known.
var legacies = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// post answers a POST, of one message.
func (f *front) post(w http.ResponseWriter, r *http.Request, who string) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err != nil || kind != "application/json":
		f.refuse(w, r, http.StatusUnsupportedMediaType, "", "Content-Type must be application/json")
		return
	case !accepts(r, "application/json") || !accepts(r, "text/event-stream"):
		f.refuse(w, r, http.StatusNotAcceptable, "", "Accept must have application/json and text/event-stream")
		return
	}
	raw, done := f.body(w, r, who)
	defer done()
	if raw == nil {
		return
	}
	m, err := wire.Parse(raw)
	if err != nil {
		code := wire.CodeInvalid
		if errors.Is(err, wire.ErrNotJSON) {
			code = wire.CodeNotJSON
		}
		invalid(w, nil, code, err.Error(), nil)
		return
	}
	given := r.Header.Get(version)
	_, undated := time.Parse(time.DateOnly, given)
	switch {
	case m.Has(wire.MetaVersion) || undated == nil && given >= firstModern:
		f.modern(w, r, who, m, done)
	case given != "" && !slices.Contains(legacies, given):
		invalid(w, m.Value(wire.ID), wire.CodeVersion, "this protocol version is not supported",
			map[string]any{"supported": legacies, "requested": given})
	default:
		f.legacy(w, r, who, m, done)
	}
}

// body reads the body, or has answered. done gives its room back, and may be called twice.
func (f *front) body(w http.ResponseWriter, r *http.Request, who string) (raw []byte, done func()) {
	size := r.ContentLength
	if size < 0 {
		size = f.Body
	}
	if size > f.Body {
		f.refuse(w, r, http.StatusRequestEntityTooLarge, "body", "the body is longer than --max-body")
		return nil, func() {}
	}
	if full := f.hold(who, size); full != nil {
		f.failed(w, r, full)
		return nil, func() {}
	}
	done = sync.OnceFunc(func() { f.hold(who, -size) })
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, f.Body))
	f.hold(who, int64(len(raw))-size) // of a chunked one the most was held
	size = int64(len(raw))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		f.refuse(w, r, http.StatusRequestEntityTooLarge, "body", "the body is longer than --max-body")
	case err != nil:
		f.refuse(w, r, http.StatusBadRequest, "body", "the body did not come whole")
	default:
		http.NewResponseController(w).SetReadDeadline(time.Time{})
		return append(raw, ' '), done // an empty one is no JSON, and not nil
	}
	return nil, done
}

// hold notes so many bytes more of a principal's, or says that there is no room.
func (f *front) hold(who string, size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch own := f.bodies[who]; {
	case size > 0 && own > 0 && own+size > ownBodies:
		return session.NoRoom("requests", 1)
	case size > 0 && f.all > 0 && f.all+size > allBodies:
		return session.NoRoom("limit", 1)
	}
	f.all += size
	if f.bodies[who] += size; f.bodies[who] == 0 {
		delete(f.bodies, who)
	}
	return nil
}

// accepts reports whether Accept has a type.
func accepts(r *http.Request, kind string) bool {
	group, _, _ := strings.Cut(kind, "/")
	for part := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		name, _, _ := strings.Cut(part, ";")
		if slices.Contains([]string{kind, "*/*", group + "/*"}, strings.ToLower(strings.TrimSpace(name))) {
			return true
		}
	}
	return false
}

// legacy passes a message of a client up to 2025-11-25.
func (f *front) legacy(w http.ResponseWriter, r *http.Request, who string, m *wire.Message, done func()) {
	if r.Header.Get(session1) == "" && m.Kind == wire.Request && m.String(wire.Method) == "initialize" {
		s, message, err := f.House.Initialize(r.Context(), who, m)
		if err != nil {
			f.failed(w, r, err)
			return
		}
		if s != nil {
			w.Header().Set(session1, s.ID)
		}
		reply(w, http.StatusOK, "application/json", string(message))
		return
	}
	s := f.find(w, r, who)
	if s == nil {
		return
	}
	if m.Kind == wire.Request {
		f.call(w, r, func() (*session.Session, error) { return s, nil }, m, done)
	} else if _, err := s.Call(r.Context(), m); err != nil {
		f.failed(w, r, err)
	} else {
		reply(w, http.StatusAccepted, "", "")
	}
}

// modern passes a message of a client from 2026-07-28 on.
func (f *front) modern(w http.ResponseWriter, r *http.Request, who string, m *wire.Message, done func()) {
	switch {
	case m.Kind == wire.Response:
		invalid(w, nil, wire.CodeInvalid, "no server asks its client in this version", nil)
		return
	case !agree(r, m):
		invalid(w, m.Value(wire.ID), wire.CodeHeaders,
			"Mcp-Method, Mcp-Name and Mcp-Protocol-Version must equal the message's own words", nil)
		return
	case m.Kind == wire.Notification:
		reply(w, http.StatusAccepted, "", "")
		return
	}
	f.call(w, r, func() (*session.Session, error) { return f.House.Modern(r.Context(), who) }, m, done)
}

// agree reports whether what proxies go by is what the message says.
func agree(r *http.Request, m *wire.Message) bool {
	given, name := r.Header.Get("Mcp-Name"), ""
	switch m.String(wire.Method) {
	case "tools/call", "prompts/get":
		name = m.String(wire.Name)
	case "resources/read":
		name = m.String(wire.URI)
	default: // of tasks/get, for one, the header has the task's
		given = ""
	}
	if encoded, ok := strings.CutPrefix(given, "=?base64?"); ok {
		if encoded, ok = strings.CutSuffix(encoded, "?="); ok {
			decoded, err := base64.StdEncoding.DecodeString(encoded)
			if given = string(decoded); err != nil {
				return false
			}
		}
	}
	return r.Header.Get("Mcp-Method") == m.String(wire.Method) && given == name &&
		(m.Kind == wire.Notification || r.Header.Get(version) == m.String(wire.MetaVersion))
}

// call passes a request, and what comes of it. A session that has just ended has not seen it, and there may be another.
func (f *front) call(w http.ResponseWriter, r *http.Request, of func() (*session.Session, error), m *wire.Message,
	done func()) {
	var c *session.Call
	s, err := of()
	for try := 0; err == nil && c == nil; try++ {
		if c, err = s.Call(r.Context(), m); errors.Is(err, session.ErrGone) && try == 0 {
			s, err = of()
		}
	}
	if errors.Is(err, session.ErrGone) && s != nil && s.Modern { // both ended as soon as they started
		err = session.NoRoom("crash-loop", 1)
	}
	if done(); err != nil {
		f.failed(w, r, err)
		return
	}
	answer(w, r, s, c, f.Alone)
}

// failed answers a message that no server has seen.
func (f *front) failed(w http.ResponseWriter, r *http.Request, err error) {
	var no *session.Refusal
	if !errors.As(err, &no) {
		no = session.ErrGone // the client is gone
	}
	if no.Retry > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(no.Retry))
	}
	f.refuse(w, r, no.Status, no.Reason, no.Text)
}
