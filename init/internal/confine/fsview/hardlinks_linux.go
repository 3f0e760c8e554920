package fsview

import (
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// maxNames is how many names in the grants are compared with the files that have other names.
const maxNames = 200000

// A hardLink is a denied or protected file in a write grant that has another name.
type hardLink struct {
	key, path string
	denied    bool // it may not be read
}

// hardLinks are the files of which a server could have made another name in an earlier launch.
type hardLinks struct {
	*protection
	files map[platform.FileID]hardLink
}

var (
	errNames  = errors.New("more than 200000 names lie in the grants")
	errMoving = errors.New("something is being made or moved there: end what writes there and start again")
)

// note adds a file if a server could have made another name of it: when it did not exist yet under this one, or was
// neither denied nor protected.
func (h *hardLinks) note(key, path string, e *entry, denied bool) {
	if !e.is(typeFile) || e.links < 2 || h.request.Shared || h.strict {
		return
	}
	if !slices.ContainsFunc(h.places(path), h.inWriteGrant) {
		return
	}
	if l, ok := h.files[e.FileID]; !ok || denied && !l.denied {
		h.files[e.FileID] = hardLink{key, path, denied}
	}
}

// check fails the plan if such a file can be opened under its other name. A name that lies in no grant, as in a
// backup or a store of packages, or that is protected itself, is of no use to the server.
func (h *hardLinks) check(allowed []rule) {
	for _, f := range h.findings {
		h.note("allowWrite", f.path, &f.entry, false)
	}
	if len(h.files) == 0 {
		return
	}
	began, w := time.Now(), walk{lookups: &h.lookups, left: maxNames}
	for i := range allowed {
		if r := &allowed[i]; r.entry.is(typeFolder) {
			w.folders = append(w.folders, r.path)
		} else {
			h.compare(r.path, &r.entry)
		}
	}
	for i := 0; i < len(w.folders) && h.err == nil; i++ {
		if h.points.access(w.folders[i]).read {
			h.search(&w, w.folders[i])
		}
	}
	for _, at := range w.folders {
		if changedSince(at, began) { // a running server may have moved the name to where the search had been already
			h.unknown(&os.PathError{Op: "list", Path: at, Err: errMoving})
			return
		}
	}
}

// search looks for the other names in one folder, and adds the folders in it to the walk.
func (h *hardLinks) search(w *walk, folder string) {
	err := w.list(folder, typeFile, func(path string, e *entry, err error) bool {
		if err != nil {
			h.unknown(&os.PathError{Op: "statx", Path: path, Err: err})
		} else {
			h.compare(path, e)
		}
		return h.err == nil
	})
	switch {
	case errors.Is(err, errMany):
		h.unknown(errNames)
	case err != nil && !h.closed(folder, err):
		h.unknown(err)
	}
}

// compare fails the plan if a file can be opened, and is one of those under another name.
func (h *hardLinks) compare(path string, e *entry) {
	l, ok := h.files[e.FileID]
	if !ok || path == l.path {
		return
	}
	if a := h.points.access(path); a.write || l.denied && a.read {
		h.fail(l.refusal(path+" is open to it", nil))
	}
}

// unknown fails the plan where it cannot be found out where the other names are.
func (h *hardLinks) unknown(err error) {
	first := slices.MinFunc(slices.Collect(maps.Values(h.files)),
		func(a, b hardLink) int { return strings.Compare(a.path, b.path) })
	h.fail(first.refusal("", err))
}

// refusal is an ErrLinked with the other name, or why that could not be found.
func (l *hardLink) refusal(name string, err error) error {
	text := string(ErrLinked)
	if err == nil {
		text += ": " + name
	} else {
		text += ", and nobody can tell that it is not open to it: " + err.Error()
	}
	text += ": put a copy in the place of the file (cp -p FILE NEW && mv NEW FILE)"
	return &os.PathError{Op: l.key, Path: l.path, Err: &detail{ErrLinked, text, err}}
}
