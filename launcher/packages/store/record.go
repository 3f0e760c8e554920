package store

import (
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
)

var errRecord = errors.New("the record is not one that mcp-sandbox wrote")

// A resolution is to which package specs were resolved: .specs/ID.
type resolution struct {
	asked
	path string // below the store
}

// asked is a [Wanted] as a record has it.
type asked struct {
	manager, source string
	specs           []string
}

func (w *Wanted) asked() *asked { return &asked{w.Manager, w.Source, wordsOf(w.Specs)} }

func (a *asked) equals(b *asked) bool {
	return a.manager == b.manager && a.source == b.source && slices.Equal(a.specs, b.specs)
}

// id is the name of the record.
func (a *asked) id() string { return idOf(append([]string{a.manager, a.source}, a.specs...)...) }

const resolutionFirst = "mcp-sandbox specs 2"

func (r *resolution) text() []byte {
	b := []byte(resolutionFirst + "\nmanager ")
	b = append(appendEscaped(b, r.manager), "\nsource "...)
	b = append(appendEscaped(b, r.source), '\n')
	for _, s := range r.specs {
		b = append(appendEscaped(append(b, "spec "...), s), '\n')
	}
	return append(appendEscaped(append(b, "path "...), r.path), '\n')
}

func parseResolution(text string) (*resolution, error) {
	in := reader{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	in.ok = in.take() == resolutionFirst
	r := &resolution{asked: asked{manager: in.value("manager"), source: in.value("source")}}
	for in.has("spec") {
		r.specs = append(r.specs, in.value("spec"))
	}
	r.path = in.value("path")
	if !in.ok || !isPackagePath(r.path) || string(r.text()) != text {
		return nil, errRecord
	}
	return r, nil
}

// isPackagePath reports whether a path below the store is that of a package: manager/name/version or with a scope.
func isPackagePath(path string) bool {
	parts := strings.Split(path, "/")
	if len(parts) == 4 {
		if !strings.HasPrefix(parts[1], "@") || !isName(parts[1][1:]) {
			return false
		}
		parts = append(parts[:1], parts[2:]...)
	}
	return len(parts) == 3 && isWord(parts[0]) && isName(parts[1]) && isVersionFolder(parts[2])
}

// An index is the state of a package's folder at its last comparison with the manifest: .index/ID. Its time is the
// package's last use.
type index struct {
	path     string // below the store
	manifest [32]byte
	state    [32]byte
	entries  int
}

const indexFirst = "mcp-sandbox index 1"

func (x *index) text() []byte {
	b := []byte(indexFirst + "\npath ")
	b = append(appendEscaped(b, x.path), "\nmanifest "...)
	b = append(hex.AppendEncode(b, x.manifest[:]), "\nstate "...)
	b = append(hex.AppendEncode(b, x.state[:]), "\nentries "...)
	return append(strconv.AppendInt(b, int64(x.entries), 10), '\n')
}

func parseIndex(text string) (*index, error) {
	in := reader{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	in.ok = in.take() == indexFirst
	x := &index{path: in.value("path")}
	for _, sum := range []struct {
		key string
		to  *[32]byte
	}{{"manifest", &x.manifest}, {"state", &x.state}} {
		word := in.value(sum.key)
		if len(word) != 64 {
			return nil, errRecord
		}
		hex.Decode(sum.to[:], []byte(word))
	}
	x.entries = int(in.number("entries"))
	if !in.ok || string(x.text()) != text {
		return nil, errRecord
	}
	return x, nil
}
