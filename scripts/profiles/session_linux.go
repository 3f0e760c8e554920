package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
)

//go:embed sessions
var documents embed.FS

// A session is what is said to one server, read from sessions/ECOSYSTEM/NAME.json. In all its texts $DIR is the working
// folder.
type session struct {
	Package string `json:"-"`
	// Version is the one that is tried.
	Version string
	// Arguments, Env and Files are given to the server: the files, by their names, lie in $DIR.
	Arguments  []string
	Env, Files map[string]string
	// Grants are folders that the user lets the server write, and Domains hosts that it may reach, besides the profile.
	Grants, Domains []string
	Calls           []call
	// Answers are what hosts answer; others answer every request with 401.
	Answers []answer
	refused
	// Node is the version of Node that the server needs, where that of the machine may be too old.
	Node string
	// Heavy packages are left out of the ordinary run.
	Heavy bool
}

// refused are names and addresses that the server asks for, and the profile does not grant, each with the reason behind
// a colon: "api.example.com: telemetry".
type refused struct {
	Declined []string
	// Perhaps are those that are asked for on some machines only.
	Perhaps []string
}

// all are both, for what is denied.
func (r *refused) refusals() []string { return slices.Concat(r.Declined, r.Perhaps) }

// A call of a tool, or the reading of a resource.
type call struct {
	Tool      string
	Resource  string
	Arguments map[string]any
	// Text is what the result has to hold, which then must be no error. "" is any result.
	Text string
}

// An answer is that of a host to requests for a path and all below it. Body is JSON, and a text in JSON is sent as that
// text. Type is the content type, of JSON if there is none; Status 0 is 200. With MCP the host is an MCP server (over
// HTTP, with the tool remote_echo).
type answer struct {
	Host, Path, Type string
	Status           int
	Body             json.RawMessage
	MCP              bool
}

// sessions are all documents, in the order of their names.
func sessions() (all []*session, err error) {
	err = fs.WalkDir(documents, "sessions", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := documents.ReadFile(path)
		if err != nil {
			return err
		}
		id := strings.TrimSuffix(strings.TrimPrefix(path, "sessions/"), ".json")
		s := &session{Package: strings.Replace(id, "/", ":", 1)}
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(s); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if s.Version == "" {
			return fmt.Errorf("%s: no version", path)
		}
		for _, name := range s.refusals() {
			if _, reason, _ := strings.Cut(name, ": "); reason == "" {
				return fmt.Errorf("%s: declined %s: no reason behind it", path, name)
			}
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

// in is the session with a folder for $DIR.
func (s *session) in(dir string) (*session, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	quoted, err := json.Marshal(dir)
	if err != nil {
		return nil, err
	}
	at := &session{Package: s.Package}
	return at, json.Unmarshal(bytes.ReplaceAll(text, []byte("$DIR"), bytes.Trim(quoted, `"`)), at)
}

// name is the package's name alone.
func (s *session) name() string { return s.Package[strings.IndexByte(s.Package, ':')+1:] }

// answerTo finds what a host answers to a request; nil if an MCP server does.
func (s *session) answerTo(host string, r *http.Request) *answer {
	for i, a := range s.Answers {
		switch {
		case a.Host != host || !strings.HasPrefix(r.URL.Path, a.Path):
		case a.MCP:
			return nil
		default:
			return &s.Answers[i]
		}
	}
	return &answer{Status: http.StatusUnauthorized, Body: json.RawMessage(`{"message": "an answer of the test"}`)}
}

// write sends the answer.
func (a *answer) write(w http.ResponseWriter) {
	kind, body := a.Type, []byte(a.Body)
	if kind == "" {
		kind = "application/json"
	}
	if text := ""; json.Unmarshal(body, &text) == nil {
		body = []byte(text)
	}
	w.Header().Set("Content-Type", kind)
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	_, _ = w.Write(body)
}
