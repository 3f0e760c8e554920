package install

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// golang is the row of the go command: `go run PACKAGE@VERSION` is built once, by `go install`.
var golang = manager{
	name:          "go",
	programs:      []string{"go"},
	usual:         "proxy.golang.org sum.golang.org",
	configuration: configuration{goFiles, goDecides, "go env -w GOPROXY=URL", "GOPROXY or, for https://, your netrc"},
	settings:      goSettings,
	install:       goInstall,
	entry:         goEntry,
	asks:          pattern(`^# get (https?://\S+)$`),
	answers:       pattern(`^# get (https?://\S+): `),
	builds:        pattern(`(?m)^WORK=`), // the folder of its temporary files; all modules are there by then
}

// A goAnswer is what `go env -json` says.
type goAnswer struct {
	GOROOT, GOVERSION              string
	GOPROXY, GONOPROXY             string
	GOSUMDB, GONOSUMDB, GOINSECURE string
	direct                         bool     // GOPROXY has "direct" behind its proxies
	proxies                        []string // URLs and the separators between them
}

// goFiles are the file that `go env -w` writes, and that of the installation.
func goFiles(q *question) []string {
	root := filepath.Dir(filepath.Dir(platform.Resolved(q.program)))
	return []string{filepath.Join(q.config, "go", "env"), filepath.Join(root, "go.env")}
}

// goDecides is true for the variables that say where modules come from and how they are compared.
func goDecides(name string, _ *startline.Start) bool {
	return slices.Contains([]string{"GOENV", "GOPROXY", "GOPRIVATE", "GONOPROXY", "GOSUMDB", "GONOSUMDB",
		"GONOSUMCHECK", "GOINSECURE"}, name)
}

// goSettings asks the go command. A go.work or a go.mod in /usr could ask for another version of Go to be fetched:
// GOTOOLCHAIN and GOWORK keep the command from that.
func goSettings(ctx context.Context, q *question) (*settings, error) {
	env := map[string]string{"HOME": q.home, "GOENV": q.copyOf(goFiles(q)[0]), "GOTOOLCHAIN": "local", "GOWORK": "off",
		"GO111MODULE": "on"}
	out, err := q.run(ctx, env, "env", "-json")
	if err != nil {
		return nil, err
	}
	a := new(goAnswer)
	if err := json.Unmarshal(out, a); err != nil {
		return nil, fmt.Errorf("%s env -json: %w", q.program, err)
	}
	s := &settings{golang: a}
	s.said = []string{a.GOPROXY, a.GONOPROXY, a.GOSUMDB, a.GONOSUMDB, a.GOINSECURE}
	if err := goProxies(s, q); err != nil {
		return nil, err
	}
	return s, goDatabase(s)
}

// goProxies takes GOPROXY apart. Without a proxy a module comes from a repository by a version control program, which
// is started with what a stranger's server says.
func goProxies(s *settings, q *question) error {
	a := s.golang
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
		r, user, err := newRegistry("", word)
		if err != nil {
			return fmt.Errorf("go env GOPROXY: %w", err)
		}
		if user != nil {
			s.login = true
		}
		if user != nil && q.auth {
			s.logins = append(s.logins, login{key: r.url, value: user.String()})
		}
		s.registries = append(s.registries, r)
		a.proxies = append(a.proxies, r.url, separator)
	}
	s.netrc(q)
	if len(s.registries) == 0 {
		return fmt.Errorf("go env GOPROXY is %.100q and names no proxy: modules would come from their repositories, %s",
			redactAll(a.GOPROXY), byVersionControl)
	}
	a.proxies = a.proxies[:len(a.proxies)-1]
	return nil
}

// goDatabase adds the host of the checksum database: the go command asks a proxy for it, then the database itself.
func goDatabase(s *settings) error {
	words := strings.Fields(s.golang.GOSUMDB)
	if len(words) == 0 || words[0] == "off" {
		return nil
	}
	name, _, _ := strings.Cut(words[0], "+")
	place := "https://" + name
	if len(words) > 1 {
		place = words[1]
	}
	r, user, err := newRegistry("@sumdb", place)
	if err != nil || user != nil {
		return fmt.Errorf("go env GOSUMDB: %.100q is no database of checksums", redactAll(s.golang.GOSUMDB))
	}
	s.registries = append(s.registries, r)
	return nil
}

// goVariables are the whole configuration of the go command for an install. Nothing that a module brings is run: the go
// command has no install scripts, the user's flags (-toolexec) are left out, version control is off. cgo starts a C
// compiler with options from a module's files, and is on with scripts alone.
func goVariables(j *job) map[string]string {
	a, own := j.settings.golang, func(name string) string { return filepath.Join(j.private, name) }
	proxies := ""
	for _, word := range a.proxies {
		if !j.scripts { // a C compiler could be made to read the log-in
			word = j.settings.withLogin(word)
		}
		proxies += word
	}
	cgo := "0"
	if j.scripts {
		cgo = "1"
	}
	return map[string]string{
		"GOENV": "off", "GOTOOLCHAIN": "local", "GO111MODULE": "on", "GOWORK": "off", "GOVCS": "*:off",
		"GOFLAGS": "-mod=mod -trimpath -modcacherw", "CGO_ENABLED": cgo,
		"GOPROXY": proxies, "GONOPROXY": a.GONOPROXY, "GOSUMDB": a.GOSUMDB, "GONOSUMDB": a.GONOSUMDB,
		"GOINSECURE": a.GOINSECURE,
		"GOBIN":      filepath.Join(j.stage, "bin"), "GOPATH": own("path"), "GOMODCACHE": own("modules"),
		"GOCACHE": own("cache"), "GOTMPDIR": own("tmp"), "TMPDIR": own("tmp"),
	}
}
