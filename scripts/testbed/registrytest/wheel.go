package registrytest

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Wheel is one archive of a package for Python, good unless a field says otherwise.
type Wheel struct {
	Name, Version string
	Requires      []string          // requirements
	Scripts       map[string]string // console scripts: MODULE:FUNCTION
	Files         map[string]string // by their paths in the archive; those of RECORD are added
	Python        string            // Requires-Python
	Sdist         bool              // an archive of sources, of Files alone
	Uploaded      time.Time         // zero: a year ago

	Hash   string              // in place of the archive's; "none" for none, "md5" for that sum alone
	Place  string              // URL of the archive in place of the index's own
	Change func([]byte) []byte // of the archive's bytes after their hash was taken
}

// file is the name of the archive.
func (w *Wheel) file() string {
	name := strings.ReplaceAll(w.Name, "-", "_") + "-" + w.Version
	if w.Sdist {
		return name + ".zip"
	}
	return name + "-py3-none-any.whl"
}

func (w *Wheel) archive() []byte {
	info := strings.ReplaceAll(w.Name, "-", "_") + "-" + w.Version + ".dist-info/"
	var out bytes.Buffer
	z, record := zip.NewWriter(&out), ""
	add := func(name, text string) {
		h := &zip.FileHeader{Name: name, Modified: time.Unix(499162500, 0), Method: zip.Deflate}
		h.SetMode(0o755)
		f, err := z.CreateHeader(h)
		must(err)
		_, err = f.Write([]byte(text))
		must(err)
		sum := sha256.Sum256([]byte(text))
		record += fmt.Sprintf("%s,sha256=%s,%d\n", name, base64.RawURLEncoding.EncodeToString(sum[:]), len(text))
	}
	for _, name := range sortedKeys(w.Files) {
		add(name, w.Files[name])
	}
	metadata := "Metadata-Version: 2.1\nName: " + w.Name + "\nVersion: " + w.Version + "\n"
	if w.Python != "" {
		metadata += "Requires-Python: " + w.Python + "\n"
	}
	for _, r := range w.Requires {
		metadata += "Requires-Dist: " + r + "\n"
	}
	if w.Sdist {
		must(z.Close())
		return out.Bytes()
	}
	add(info+"METADATA", metadata)
	add(info+"WHEEL", "Wheel-Version: 1.0\nGenerator: registrytest\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
	if len(w.Scripts) > 0 {
		text := "[console_scripts]\n"
		for _, name := range sortedKeys(w.Scripts) {
			text += name + " = " + w.Scripts[name] + "\n"
		}
		add(info+"entry_points.txt", text)
	}
	add(info+"RECORD", record+info+"RECORD,,\n")
	must(z.Close())
	return out.Bytes()
}

func sortedKeys(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// hash is what the index says of an archive, as KIND=SUM.
func (w *Wheel) hash(archive []byte) string {
	sum, weak := sha256.Sum256(archive), md5.Sum(archive)
	switch w.Hash {
	case "":
		return "sha256=" + hex.EncodeToString(sum[:])
	case "none":
		return ""
	case "md5":
		return "md5=" + hex.EncodeToString(weak[:])
	}
	return "sha256=" + w.Hash
}
