package registrytest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path"
	"time"
)

// A Package is one version of a package, good unless a field says otherwise.
type Package struct {
	Name, Version string
	Manifest      map[string]any // further keys of package.json, as the registry and the archive have them
	Unlisted      map[string]any // keys of package.json in the archive alone
	Files         []File         // besides package.json
	Published     time.Time      // zero: a year ago

	Integrity string              // in place of the archive's; "none" for none, "sha1" for that sum alone
	Archive   string              // URL in place of the registry's own
	Change    func([]byte) []byte // of the archive's bytes after their hash was taken
}

// A File is an entry of an archive, below "package/" unless Raw.
type File struct {
	Name, Text string
	Mode       int64 // 0: 0644
	Link       string
	Hard       bool // of Link: a hard link
	Raw        bool // Name is the entry's as it stands
}

// document is package.json.
func (p *Package) document(all bool) map[string]any {
	d := map[string]any{"name": p.Name, "version": p.Version}
	maps.Copy(d, p.Manifest)
	if all {
		maps.Copy(d, p.Unlisted)
	}
	return d
}

// archive is the package as a gzipped tar file.
func (p *Package) archive() []byte {
	manifest, err := json.Marshal(p.document(true))
	must(err)
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, f := range append([]File{{Name: "package.json", Text: string(manifest)}}, p.Files...) {
		h := &tar.Header{Name: path.Join("package", f.Name), Mode: f.Mode, Size: int64(len(f.Text)),
			Typeflag: tar.TypeReg, ModTime: time.Unix(499162500, 0)}
		if f.Raw {
			h.Name = f.Name
		}
		if f.Mode == 0 {
			h.Mode = 0o644
		}
		if f.Link != "" {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, f.Link, 0
		}
		if f.Hard {
			h.Typeflag = tar.TypeLink
		}
		must(w.WriteHeader(h))
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write([]byte(f.Text))
			must(err)
		}
	}
	must(w.Close())
	must(z.Close())
	return out.Bytes()
}

// dist is what the registry says of an archive at a URL.
func (p *Package) dist(archive []byte, url string) map[string]any {
	long, short := sha512.Sum512(archive), sha1.Sum(archive)
	d := map[string]any{"tarball": url, "shasum": hex.EncodeToString(short[:]),
		"integrity": "sha512-" + base64.StdEncoding.EncodeToString(long[:])}
	switch p.Integrity {
	case "":
	case "none":
		delete(d, "integrity")
		delete(d, "shasum")
	case "sha1":
		delete(d, "integrity")
	default:
		d["integrity"] = p.Integrity
	}
	if p.Archive != "" {
		d["tarball"] = p.Archive
	}
	return d
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
