package npm

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
)

// loginKeys are the options that npm logs in with at a registry, as //HOST/PATH/:KEY=VALUE; npmrc(5). True is for a key
// that names a file.
var loginKeys = map[string]bool{":_authToken": false, ":_auth": false, ":username": false, ":_password": false,
	":certfile": true, ":keyfile": true}

// readLogins reads the log-ins at the registries, which `npm config` does not show: from the user's own files, and
// never from a variable or a project's file, which a stranger may have written. A line may name a variable.
func readLogins(s *job.Settings, q *job.Question, files ...string) error {
	var lines []string
	for _, file := range files {
		b, err := job.ReadConfiguration(file)
		if errors.Is(err, fs.ErrNotExist) || file == "" {
			continue
		}
		if err != nil {
			return fmt.Errorf("npm config: %w", err)
		}
		lines = append(lines, strings.Split(string(b), "\n")...)
	}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		where, name := key, ""
		if i := strings.LastIndex(key, "/:"); i >= 0 {
			where, name = key[:i+1], key[i+1:]
		}
		isFile, known := loginKeys[name]
		value, set := expand(value, q.Env)
		if !known || !set || value == "" || strings.ContainsAny(value, "\r\n") || !loginAt(s, where, q) {
			continue
		}
		s.Login = true
		if !q.Auth {
			continue
		}
		if r := inClear(s, where, q); r != "" {
			return fmt.Errorf("--registry-auth with %s of a project's .npmrc: npm would send your log-in at %s there "+
				"without TLS", r, where)
		}
		l := job.Login{Key: key, Value: value}
		if isFile {
			b, err := job.ReadConfiguration(strings.Trim(value, `"'`))
			if err != nil {
				return fmt.Errorf("npm config: %s: %w", key, err)
			}
			l.File = b
		}
		s.Logins = append(s.Logins, l)
	}
	return nil
}

// loginAt reports whether a key's //HOST/PATH/ is at a registry: npm takes the longest path that a URL begins with.
// A project does not choose that a log-in goes there without TLS.
func loginAt(s *job.Settings, where string, q *job.Question) bool {
	for _, r := range s.Registries {
		scheme, rest, _ := strings.Cut(r.URL, ":")
		if scheme == "http" && q.Names(r) {
			continue
		}
		host, found := strings.CutPrefix(where, "//")
		if found && strings.Contains(host, "/") && strings.HasPrefix(rest, where) {
			return true
		}
	}
	return false
}

// inClear is a registry without TLS that a project names at the host of a key's log-in; "" is for none. A key has no
// scheme, and npm takes a URL with the port of http, or with dots in the path, for the one of the key.
func inClear(s *job.Settings, where string, q *job.Question) string {
	found := ""
	at, err := url.Parse("http:" + where)
	for _, r := range s.Registries {
		u, bad := url.Parse(r.URL)
		switch {
		case err != nil || bad != nil || u.Scheme != "http" || !strings.EqualFold(u.Hostname(), at.Hostname()):
		case !q.Names(r):
			return "" // the user has the log-in go there without TLS
		default:
			found = r.URL
		}
	}
	return found
}

// expand puts the user's variables into a value. It is false if one is not set.
func expand(value string, env []string) (string, bool) {
	set := true
	value = job.Variable().ReplaceAllStringFunc(value, func(found string) string {
		text, ok := order.Variable(env, job.Variable().FindStringSubmatch(found)[1])
		set = set && ok
		return text
	})
	return value, set
}

// userLogin is the login that a registry's URL holds.
func userLogin(r job.Registry, u *url.Userinfo) job.Login {
	password, _ := u.Password()
	_, where, _ := strings.Cut(r.URL, ":")
	secret := base64.StdEncoding.EncodeToString([]byte(u.Username() + ":" + password))
	return job.Login{Key: where + ":_auth", Value: secret}
}

// registryLine is a line of npmrc(5) that names a registry.
var registryLine = job.Pattern(`(?m)^\s*((?:@[^:=\s]+:)?registry)\s*=\s*(\S+)`)

// project looks where npm looks: in the nearest folder with a package.json or a node_modules, else in dir itself.
// Of the file the registries are read here, and nothing else: npm is not started in a project.
func project(dir, home string) (file string, registries map[string]string) {
	at := dir
	for above := dir; ; above = filepath.Dir(above) {
		if exists(above, "package.json") || exists(above, "node_modules") {
			at = above
			break
		}
		if above == filepath.Dir(above) {
			break
		}
	}
	file = filepath.Join(at, ".npmrc")
	user, err := os.Stat(filepath.Join(home, ".npmrc"))
	if info, bad := os.Stat(file); bad != nil || err == nil && os.SameFile(user, info) {
		return "", nil // the user's own is read as that
	}
	b, err := job.ReadConfiguration(file)
	registries = map[string]string{}
	for _, found := range registryLine().FindAllStringSubmatch(string(b), -1) {
		registries[found[1]] = strings.Trim(found[2], `"'`)
	}
	if err != nil || len(registries) == 0 {
		return "", nil
	}
	return file, registries
}

func exists(folder, name string) bool {
	_, err := os.Lstat(filepath.Join(folder, name))
	return err == nil
}
