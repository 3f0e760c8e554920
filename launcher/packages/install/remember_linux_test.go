package install

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/golang"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/npm"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/python"
)

// A known answer is to the question of a home, whose registry was at url.
type known struct {
	settings  job.Settings
	home, url string
}

// of is the answer for another home with the same configuration but for the registry's place.
func (k known) of(home, url string) *job.Settings {
	s := k.settings
	s.Registries, s.Said = slices.Clone(s.Registries), slices.Clone(s.Said)
	for i, r := range s.Registries {
		if r.URL == k.url {
			s.Registries[i].URL = url
		}
	}
	for i, text := range s.Said {
		s.Said[i] = strings.Replace(text, k.home, home, 1)
	}
	return &s
}

// standard is the one file of most homes: it names the registry.
var standard = regexp.MustCompile(`^(registry=|\[global\]\nindex-url = )(http://\S+/)\n$`)

// remember makes a manager be asked once for a configuration, without the long forms of the suite: half of an install
// that is refused is its question. What the question reads is the key.
func remember() {
	for _, row := range []*job.Manager{&npm.Manager, &python.Manager, &golang.Manager} {
		var answers, locks sync.Map
		ask := row.Settings
		row.Settings = func(ctx context.Context, q *job.Question) (*job.Settings, error) {
			key, url, ok := reads(q)
			if !ok {
				return ask(ctx, q)
			}
			lock, _ := locks.LoadOrStore(key, new(sync.Mutex))
			lock.(*sync.Mutex).Lock()
			defer lock.(*sync.Mutex).Unlock()
			if found, ok := answers.Load(key); ok {
				return found.(known).of(q.Home, url), nil
			}
			s, err := ask(ctx, q)
			if err == nil {
				answers.Store(key, known{*s, q.Home, url})
			}
			return s, err
		}
	}
}

// reads is what an answer depends on, and the registry's place where that is all in which homes differ. It is not known
// where the configuration names other files.
func reads(q *job.Question) (key, url string, ok bool) {
	info, err := os.Stat(q.Program)
	if err != nil {
		return "", "", false
	}
	home, own, text := q.Home, 0, "" // own are the home's files, and text that of one
	for _, file := range q.Files {
		b, err := os.ReadFile(file)
		if err == nil && (strings.Contains(string(b), "cafile") || strings.Contains(string(b), "cert")) {
			return "", "", false
		}
		if err == nil && strings.HasPrefix(file, q.Home+"/") {
			own, text = own+1, string(b)
		}
		key += fmt.Sprintf("\x00%q", b)
	}
	netrc, bad := os.ReadFile(filepath.Join(q.Home, ".netrc"))
	if q.Auth { // the log-ins are of these
		key += fmt.Sprintf("\x00auth %q %q", netrc, q.Env)
	}
	if found := standard.FindStringSubmatch(text); own == 1 && found != nil && bad != nil && !q.Auth {
		home, url, key = "", found[2], strings.Replace(key, fmt.Sprintf("%q", text), found[1], 1)
	}
	return fmt.Sprintf("%s\x00%s\x00%s\x00%v %v\x00%q\x00%s", home, strings.TrimPrefix(q.Config, q.Home), q.Program,
		info.Size(), info.ModTime(), q.Project, q.Path) + key, url, true
}

// compiled gives `go install` the standard library as this machine's cache has it, without the long forms of the suite.
// An action's entry is found by its id, of which a build id has the first 15 bytes. What is not found is compiled.
func compiled() {
	env := append(os.Environ(), "GOFLAGS=-trimpath", "CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOWORK=off")
	list := sync.OnceValue(func() (files []string) {
		cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.Export}} {{.BuildID}}", "os")
		cmd.Env, cmd.Dir = env, "/"
		out, _ := cmd.Output()
		for line := range strings.Lines(string(out)) {
			output, id, _ := strings.Cut(strings.TrimSpace(line), " ")
			action, _, _ := strings.Cut(id, "/")
			b, err := base64.RawURLEncoding.DecodeString(action)
			if output == "" || err != nil || len(b) == 0 {
				continue
			}
			found, _ := filepath.Glob(fmt.Sprintf("%s/%02x/%x*-a", filepath.Dir(filepath.Dir(output)), b[0], b))
			files = append(append(files, output), found...)
		}
		return files
	})
	install := golang.Manager.Install
	golang.Manager.Install = func(ctx context.Context, j *job.Job) (*job.Contents, error) {
		for _, file := range list() {
			folder := filepath.Join(filepath.Base(j.Private), "cache", filepath.Base(filepath.Dir(file)))
			b, err := os.ReadFile(file)
			err = errors.Join(err, j.Folder(folder), j.Write(filepath.Join(j.Stage, folder, filepath.Base(file)), b))
			if err != nil {
				return nil, err
			}
		}
		return install(ctx, j)
	}
}
