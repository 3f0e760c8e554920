package store

import (
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/internal/tree"
)

// A manifest is text: lines of a key and a value, an empty line, and a line for each file, folder and link in the order
// of a walk. Bytes but printable ASCII are written %XX, so a name may be any. There is one way to write a manifest, and
// [parseManifest] refuses every other.
//
//	d 555 node_modules
//	f 444 SIZE SHA256 node_modules/x.js
//	l TARGET node_modules/.bin/x
const manifestFirst = "mcp-sandbox package 1"

// mostHeader bounds the lines before the empty one.
const mostHeader = 1 << 20

var errManifest = errors.New("the manifest is not one that mcp-sandbox wrote")

// header has the lines on the package itself.
type header struct {
	Identity
	Contents
	specs   []string
	entries int
}

func appendManifest(b []byte, h *header, entries []tree.Entry) []byte {
	b = appendHeader(b, h)
	for i := range entries {
		e := &entries[i]
		b = append(b, byte(e.Kind), ' ')
		switch e.Kind {
		case tree.Link:
			b = appendEscaped(b, e.Target)
		default:
			b = strconv.AppendUint(b, uint64(e.Mode), 8)
		}
		if e.Kind == tree.File {
			b = append(strconv.AppendInt(append(b, ' '), e.Size, 10), ' ')
			b = hex.AppendEncode(b, e.Sum[:])
		}
		b = append(appendEscaped(append(b, ' '), e.Path), '\n')
	}
	return b
}

func appendHeader(b []byte, h *header) []byte {
	b = append(append(b, manifestFirst...), '\n')
	line := func(key, value string) {
		b = append(appendEscaped(append(append(b, key...), ' '), value), '\n')
	}
	for _, f := range h.fields() {
		line(f.key, *f.text)
	}
	if h.Source != "" {
		line("source", h.Source)
	}
	line("bytes", strconv.FormatInt(h.Bytes, 10))
	line("packages", strconv.Itoa(h.Packages))
	line("scripts-ran", strconv.FormatBool(h.ScriptsRan))
	line("min-age", strconv.FormatInt(int64(h.MinAge), 10))
	line("installed", strconv.FormatInt(h.Installed.UnixNano(), 10))
	line("entries", strconv.Itoa(h.entries))
	for _, s := range h.specs {
		line("spec", s)
	}
	for _, s := range h.Scripts {
		line("not-run", s)
	}
	return append(b, '\n')
}

type field struct {
	key  string
	text *string
}

func (h *header) fields() []field {
	return []field{{"manager", &h.Manager}, {"ecosystem", &h.Ecosystem}, {"name", &h.Name}, {"version", &h.Version},
		{"integrity", &h.Integrity}, {"registry", &h.Registry}, {"lock", &h.Lock}}
}

// parseHeader reads the lines before the empty one, and says how long they are.
func parseHeader(text string) (*header, int, error) {
	end := strings.Index(text, "\n\n")
	if end < 0 {
		return nil, 0, errManifest
	}
	r := reader{lines: strings.Split(text[:end], "\n")}
	h := &header{}
	r.ok = r.take() == manifestFirst
	for _, f := range h.fields() {
		*f.text = r.value(f.key)
	}
	if r.has("source") {
		h.Source = r.value("source")
	}
	h.Bytes = r.number("bytes")
	h.Packages = int(r.number("packages"))
	h.ScriptsRan = r.value("scripts-ran") == "true"
	h.MinAge = time.Duration(r.number("min-age"))
	h.Installed = time.Unix(0, r.number("installed")).UTC()
	h.entries = int(r.number("entries"))
	for r.has("spec") {
		h.specs = append(h.specs, r.value("spec"))
	}
	for r.has("not-run") {
		h.Scripts = append(h.Scripts, r.value("not-run"))
	}
	end += 2
	if !r.ok || len(r.lines) > 0 || string(appendHeader(nil, h)) != text[:end] {
		return nil, 0, errManifest
	}
	return h, end, nil
}

// parseManifest reads a whole manifest.
func parseManifest(text string) (*header, []tree.Entry, error) {
	h, end, err := parseHeader(text)
	if err != nil {
		return nil, nil, err
	}
	if h.entries < 0 || h.entries > tree.MostEntries || h.entries > len(text)/6 {
		return nil, nil, errManifest
	}
	entries := make([]tree.Entry, 0, h.entries)
	for line := range strings.SplitSeq(strings.TrimSuffix(text[end:], "\n"), "\n") {
		if line == "" {
			break
		}
		e, ok := parseEntry(line)
		if !ok || len(entries) > 0 && !tree.Less(entries[len(entries)-1].Path, e.Path) {
			return nil, nil, errManifest
		}
		entries = append(entries, e)
	}
	again := appendManifest(make([]byte, 0, len(text)), h, entries)
	if len(entries) != h.entries || string(again) != text {
		return nil, nil, errManifest
	}
	return h, entries, nil
}

func parseEntry(line string) (e tree.Entry, ok bool) {
	words := strings.Split(line, " ")
	last, good := unescaped(words[len(words)-1])
	e.Path = last
	switch {
	case !good || last == "":
		return e, false
	case words[0] == "l" && len(words) == 3:
		e.Kind = tree.Link
		e.Target, ok = unescaped(words[1])
		return e, ok
	case words[0] == "d" && len(words) == 3:
		e.Kind = tree.Folder
	case words[0] == "f" && len(words) == 5 && len(words[3]) == 64:
		e.Kind = tree.File
		size, err := strconv.ParseInt(words[2], 10, 64)
		_, bad := hex.Decode(e.Sum[:], []byte(words[3]))
		if e.Size = size; err != nil || bad != nil {
			return e, false
		}
	default:
		return e, false
	}
	mode, err := strconv.ParseUint(words[1], 8, 32)
	e.Mode = uint32(mode)
	return e, err == nil
}
