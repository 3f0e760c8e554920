package startline

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// published are the packages of the registry, with their programs.
var published = map[string]map[string]string{
	"argv-one":      {"argv-one": "cli.js"},
	"argv-several":  {"argv-several": "cli.js", "other": "other.js"},
	"argv-alias":    {"b2": "cli.js", "a1": "./cli.js"},
	"argv-none":     {"one": "cli.js", "two": "other.js"},
	"argv-empty":    {},
	"@argv/scoped":  {"scoped": "cli.js"},
	"@argv/several": {"another": "other.js", "several": "cli.js"},
}

// startRegistry serves published on loopback: its address.
func startRegistry(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), "/"))
		name, version, isArchive := strings.Cut(name, "/-/")
		bins, ok := published[name]
		switch {
		case err != nil || !ok:
			http.NotFound(w, r)
		case isArchive:
			_, _ = w.Write(archive(t, manifest(name, strings.TrimSuffix(version, ".tgz"), bins)))
		default:
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(document(t, "http://"+r.Host, name, bins))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func manifest(name, version string, bins map[string]string) map[string]any {
	return map[string]any{"name": name, "version": version, "bin": bins}
}

// document is what a registry says of a package: its versions, each with the hash of its archive.
func document(t *testing.T, base, name string, bins map[string]string) []byte {
	const long = "2020-01-01T00:00:00.000Z"
	versions, times := map[string]any{}, map[string]string{"created": long, "modified": long}
	for _, version := range []string{"1.0.0", "1.2.0", "2.0.0"} {
		m := manifest(name, version, bins)
		sum := sha512.Sum512(archive(t, m))
		m["dist"] = map[string]string{"tarball": base + "/" + name + "/-/" + version + ".tgz",
			"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:])}
		versions[version], times[version] = m, long
	}
	text, err := json.Marshal(map[string]any{"name": name, "versions": versions, "time": times,
		"dist-tags": map[string]string{"latest": "2.0.0"}})
	if err != nil {
		t.Error(err)
	}
	return text
}

// archive is a package of two programs that print their arguments.
func archive(t *testing.T, manifest map[string]any) []byte {
	about, err := json.Marshal(manifest)
	if err != nil {
		t.Error(err)
	}
	program := func(file string) string {
		return "#!/usr/bin/env node\nconsole.log(JSON.stringify({Package: " + quoted(manifest["name"]) +
			", File: " + quoted(file) + ", Args: process.argv.slice(2)}))\n"
	}
	var text bytes.Buffer
	zip := gzip.NewWriter(&text)
	pack := tar.NewWriter(zip)
	for _, file := range [][2]string{{"package.json", string(about)}, {"cli.js", program("cli.js")}, {"other.js", program("other.js")}} {
		header := &tar.Header{Name: "package/" + file[0], Mode: 0o755, Size: int64(len(file[1])), Format: tar.FormatUSTAR}
		if err := pack.WriteHeader(header); err != nil {
			t.Error(err)
		}
		if _, err := pack.Write([]byte(file[1])); err != nil {
			t.Error(err)
		}
	}
	if err := pack.Close(); err != nil {
		t.Error(err)
	}
	if err := zip.Close(); err != nil {
		t.Error(err)
	}
	return text.Bytes()
}

func quoted(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}
