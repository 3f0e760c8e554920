package install

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// pipTimes asks an index of each name when its archives were uploaded: PEP 691 and PEP 700. An index without that form
// answers in another one, which is no JSON.
const pipTimes = `import base64, json, os, ssl, sys, urllib.request
with open(sys.argv[1]) as f:
    asked = json.load(f)
context = ssl.create_default_context(cafile=asked["CA"] or None)
for name in asked["Names"]:
    request = urllib.request.Request(asked["Index"] + name + "/")
    request.add_header("Accept", "application/vnd.pypi.simple.v1+json")
    if asked["Login"]:
        request.add_header("Authorization", "Basic " + base64.b64encode(asked["Login"].encode()).decode())
    print("Collecting", name, flush=True)
    with urllib.request.urlopen(request, timeout=30, context=context) as answer:
        text = answer.read()
    with open(os.path.join(asked["Folder"], name), "wb") as f:
        f.write(text)
`

// pipAges demands of every archive of an install that its index says when it was uploaded, and that this is not after
// job.before. An own option for that pip has only since version 26, and then it chooses older versions by it.
func pipAges(ctx context.Context, j *job, found pipFound) error {
	if j.before.IsZero() {
		return nil
	}
	folder := filepath.Join(j.private, "times")
	if err := j.folder(filepath.Base(j.private) + "/times"); err != nil {
		return err
	}
	asked := struct {
		Index, Login, CA, Folder string
		Names                    []string
	}{Index: j.settings.registries[0].url, Folder: folder}
	if len(j.settings.ca) > 0 {
		asked.CA = filepath.Join(j.private, "ca.pem")
	}
	for _, l := range j.settings.logins {
		if u := l.user(); u != nil {
			password, _ := u.Password()
			asked.Login = u.Username() + ":" + password
		}
	}
	for i := range found.all {
		asked.Names = append(asked.Names, found.all[i].Metadata.Name)
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	ask := filepath.Join(j.private, "times.json")
	if err := j.write(ask, text); err != nil {
		return err
	}
	if err := j.run(ctx, step{args: []string{"-I", "-S", "-c", pipTimes, ask}, alone: true}); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	for i := range found.all {
		if err := pipOldEnough(root, &found.all[i], j.before); err != nil {
			return err
		}
	}
	return nil
}

// pipOldEnough compares the time of one archive, which is known by its name and its hash.
func pipOldEnough(root *os.Root, p *pipPackage, before time.Time) error {
	name := p.Metadata.Name
	text, err := readRegular(root, name, mostReport)
	if err != nil {
		return err
	}
	var answer struct {
		Files []struct {
			Filename string
			Hashes   map[string]string
			Time     string `json:"upload-time"`
		}
	}
	json.Unmarshal(text, &answer)
	for _, f := range answer.Files {
		if f.Filename != pipFile(p) || f.Hashes["sha256"] != p.hash() {
			continue
		}
		uploaded, err := time.Parse(time.RFC3339, f.Time)
		switch {
		case err != nil:
		case uploaded.After(before):
			return fmt.Errorf("%s %s was uploaded %s, and --min-age demands %s or earlier: name an older version, as "+
				"%s==VERSION", name, p.Metadata.Version, uploaded.UTC().Format(time.DateTime),
				before.UTC().Format(time.DateTime), name)
		default:
			return nil
		}
	}
	return fmt.Errorf("the index does not say when %s %s was uploaded: --min-age cannot be held", name,
		p.Metadata.Version)
}
