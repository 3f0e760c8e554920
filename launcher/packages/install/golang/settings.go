// Package golang installs programs of Go modules, by `go install`.
package golang

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// Manager is the row of the go command: `go run PACKAGE@VERSION` is built once, by `go install`.
var Manager = job.Manager{
	Name: "go", Programs: []string{"go"}, Usual: "proxy.golang.org sum.golang.org",
	Write: "go env -w GOPROXY=URL", Logins: "GOPROXY or, for https://, your netrc",
	Files: files, Decides: decides, Settings: settings, Install: install, Entry: entry,
}

// An answer is the output of `go env -json`.
type answer struct {
	GOROOT, GOVERSION              string
	GOPROXY, GONOPROXY             string
	GOSUMDB, GONOSUMDB, GOINSECURE string
	direct                         bool     // GOPROXY has "direct" behind its proxies
	proxies                        []string // URLs and the separators between them
}

// files are the file that `go env -w` writes, and that of the installation.
func files(q *job.Question) []string {
	return append([]string{filepath.Join(q.Config, "go", "env")}, q.Beside(q.Program, "go.env")...)
}

// decides is true for the variables that say where modules come from and how they are compared.
func decides(name string, _ *startline.Start) bool {
	return slices.Contains([]string{"GOENV", "GOPROXY", "GOPRIVATE", "GONOPROXY", "GOSUMDB", "GONOSUMDB",
		"GONOSUMCHECK", "GOINSECURE"}, name)
}

// settings asks the go command. A go.work or a go.mod in /usr could ask for another version of Go to be fetched:
// GOTOOLCHAIN and GOWORK keep the command from that.
func settings(ctx context.Context, q *job.Question) (*job.Settings, error) {
	env := map[string]string{"HOME": q.Home, "GOENV": q.CopyOf(files(q)[0]), "GOTOOLCHAIN": "local", "GOWORK": "off",
		"GO111MODULE": "on"}
	out, err := q.Run(ctx, env, "env", "-json")
	if err != nil {
		return nil, err
	}
	a := new(answer)
	if err := json.Unmarshal(out, a); err != nil {
		return nil, fmt.Errorf("%s env -json: %w", q.Program, err)
	}
	s := &job.Settings{Answer: a}
	s.Said = []string{a.GOPROXY, a.GONOPROXY, a.GOSUMDB, a.GONOSUMDB, a.GOINSECURE}
	if err := addProxies(s, q); err != nil {
		return nil, err
	}
	return s, addDatabase(s)
}

// addProxies takes GOPROXY apart. Without a proxy a module comes from a repository by a version control program, which
// is started with the answer of a stranger's server.
func addProxies(s *job.Settings, q *job.Question) error {
	a := s.Answer.(*answer)
	rest := a.GOPROXY
	for rest != "" {
		word, after, separator := rest, "", ""
		if i := strings.IndexAny(rest, ",|"); i >= 0 {
			word, separator, after = rest[:i], rest[i:i+1], rest[i+1:]
		}
		rest = after
		switch word = strings.TrimSpace(word); word {
		case "", "direct":
			a.direct = a.direct || word == "direct"
			continue
		case "off":
			rest = ""
			continue
		}
		r, user, err := job.NewRegistry("", word)
		if err != nil {
			return fmt.Errorf("go env GOPROXY: %w", err)
		}
		if user != nil {
			s.Login = true
		}
		if user != nil && q.Auth {
			s.Logins = append(s.Logins, job.Login{Key: r.URL, Value: user.String()})
		}
		s.Registries = append(s.Registries, r)
		a.proxies = append(a.proxies, r.URL, separator)
	}
	s.Netrc(q)
	if len(s.Registries) == 0 {
		return fmt.Errorf("go env GOPROXY is %.100q and names no proxy: modules would come from their repositories, %s",
			job.RedactAll(a.GOPROXY), job.ByVersionControl)
	}
	a.proxies = a.proxies[:len(a.proxies)-1]
	return nil
}

// addDatabase adds the host of the checksum database: the go command asks a proxy for it, then the database itself.
func addDatabase(s *job.Settings) error {
	sums := s.Answer.(*answer).GOSUMDB
	words := strings.Fields(sums)
	if len(words) == 0 || words[0] == "off" {
		return nil
	}
	name, _, _ := strings.Cut(words[0], "+")
	place := "https://" + name
	if len(words) > 1 {
		place = words[1]
	}
	r, user, err := job.NewRegistry("@sumdb", place)
	if err != nil || user != nil {
		return fmt.Errorf("go env GOSUMDB: %.100q is no database of checksums", job.RedactAll(sums))
	}
	s.Registries = append(s.Registries, r)
	return nil
}

// variables are the whole configuration of the go command for an install. Nothing that a module brings is run: the go
// command has no install scripts, the user's flags (-toolexec) are left out, version control is off. cgo starts a C
// compiler with options from a module's files, and is on with scripts alone.
func variables(j *job.Job) map[string]string {
	a, own := j.Settings.Answer.(*answer), func(name string) string { return filepath.Join(j.Private, name) }
	proxies := ""
	for _, word := range a.proxies {
		if !j.Scripts { // a C compiler could be made to read the log-in
			word = j.Settings.WithLogin(word)
		}
		proxies += word
	}
	cgo := "0"
	if j.Scripts {
		cgo = "1"
	}
	return map[string]string{
		"GOENV": "off", "GOTOOLCHAIN": "local", "GO111MODULE": "on", "GOWORK": "off", "GOVCS": "*:off",
		"GOFLAGS": "-mod=mod -trimpath -modcacherw", "CGO_ENABLED": cgo,
		"GOPROXY": proxies, "GONOPROXY": a.GONOPROXY, "GOSUMDB": a.GOSUMDB, "GONOSUMDB": a.GONOSUMDB,
		"GOINSECURE": a.GOINSECURE,
		"GOBIN":      filepath.Join(j.Stage, "bin"), "GOPATH": own("path"), "GOMODCACHE": own("modules"),
		"GOCACHE": own("cache"), "GOTMPDIR": own("tmp"), "TMPDIR": own("tmp"),
	}
}
