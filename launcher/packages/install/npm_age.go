package install

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// npmAges demands of every package of an install that its registry says when the version was published, and that this
// is not after job.before. npm's own option does not see versions that a package's npm-shrinkwrap.json names, and lets
// versions pass of which the registry tells no time.
func npmAges(ctx context.Context, j *job, found npmFound) error {
	unknown, err := npmTooYoung(j, found)
	if err != nil || len(unknown) == 0 {
		return err
	}
	args := append([]string{"cache", "add", "--"}, unknown...) // which reads what their registries say of them
	if err := j.run(ctx, step{args: args, env: npmVariables(j)}); err != nil {
		return err
	}
	if unknown, err = npmTooYoung(j, found); err == nil && len(unknown) > 0 {
		err = fmt.Errorf("the registry does not say when %s was published: --min-age cannot be held", unknown[0])
	}
	return err
}

// npmTooYoung compares the times that registries told npm. Unknown are those of which there is none, as NAME@VERSION.
func npmTooYoung(j *job, found npmFound) (unknown []string, err error) {
	times := npmTimes(filepath.Join(j.private, "cache", "_cacache"))
	for _, folder := range slices.Sorted(maps.Keys(found.locked)) {
		e := found.locked[folder]
		if e.InBundle {
			continue // as old as the archive that has it
		}
		if e.Name == "" {
			e.Name = npmNameOf(folder)
		}
		published, err := time.Parse(time.RFC3339, times[e.Name][e.Version])
		switch {
		case err != nil:
			unknown = append(unknown, e.Name+"@"+e.Version)
		case published.After(j.before):
			return nil, fmt.Errorf("%s@%s was published %s, and --min-age demands %s or earlier", e.Name, e.Version,
				published.UTC().Format(time.DateTime), j.before.UTC().Format(time.DateTime))
		}
	}
	return unknown, nil
}

// npmTimes are the times of publication by package and version, from npm's cache: an index of files with a line for
// each answer, and the answers by their hash (cacache, version 5 of the index).
func npmTimes(cache string) map[string]map[string]string {
	all := map[string]map[string]string{}
	root, err := os.OpenRoot(cache)
	if err != nil {
		return all
	}
	defer root.Close()
	fs.WalkDir(root.FS(), "index-v5", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		b, _ := readRegular(root, path, mostList)
		for line := range bytes.Lines(b) {
			var index struct {
				Integrity string
				Metadata  struct{ URL string }
			}
			_, text, _ := bytes.Cut(line, []byte{'\t'})
			if json.Unmarshal(text, &index) != nil {
				continue
			}
			u, err := url.Parse(index.Metadata.URL)
			if err != nil || strings.Contains(u.Path, "/-/") {
				continue
			}
			var answer struct {
				Name string
				Time map[string]string
			}
			text = npmCached(root, index.Integrity)
			if json.Unmarshal(text, &answer) == nil && answer.Name == npmNameAt(u) {
				all[answer.Name] = answer.Time
			}
		}
		return nil
	})
	return all
}

// npmCached is a content of the cache.
func npmCached(cache *os.Root, integrity string) []byte {
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(integrity, "sha512-"))
	if err != nil || len(sum) < 3 {
		return nil
	}
	name := hex.EncodeToString(sum)
	b, _ := readRegular(cache, path.Join("content-v2", "sha512", name[:2], name[2:4], name[4:]), mostReport)
	return b
}
