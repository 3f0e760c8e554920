package profile

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed data
var data embed.FS

// ByName is the profile of a package, "npm:@x/y"; nil if none has it.
func ByName(id string) (*Profile, error) {
	doc, err := Document(id)
	if err != nil || doc == nil {
		return nil, err
	}
	p, err := Parse(doc)
	if err == nil && p.Package != id {
		err = errors.New("the document is another package's: " + p.Package)
	}
	if err != nil {
		return nil, fmt.Errorf("profile %s: %w", id, err)
	}
	return p, nil
}

// Document is the text of a package's profile; nil if none has it.
func Document(id string) ([]byte, error) {
	ecosystem, name, ok := splitID(id)
	if !ok {
		return nil, nil
	}
	doc, err := data.ReadFile(fileOf(ecosystem, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return doc, err
}

func fileOf(ecosystem, name string) string { return "data/" + ecosystem + "/" + name + ".json" }

// idOf is the package of a file of profiles.
func idOf(path string) string {
	id := strings.TrimSuffix(strings.TrimPrefix(path, "data/"), ".json")
	return strings.Replace(id, "/", ":", 1)
}

// All are the profiles, sorted by their packages.
func All() (all []*Profile, err error) {
	err = fs.WalkDir(data, "data", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		p, err := ByName(idOf(path))
		if err == nil && p == nil {
			err = errors.New(path + " is the document of no package")
		}
		all = append(all, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b *Profile) int { return strings.Compare(a.Package, b.Package) })
	return all, nil
}
