package install

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// npmLoginKeys are what npm logs in with at a registry, as //HOST/PATH/:KEY=VALUE; npmrc(5). Those named file name a
// file with the thing.
var npmLoginKeys = map[string]bool{":_authToken": false, ":_auth": false, ":username": false, ":_password": false,
	":certfile": true, ":keyfile": true}

// npmLogins reads what logs in at the registries, which `npm config` does not show: from the user's own files, and
// never from a variable or a project's file, which somebody else may have written. A line may name a variable.
func npmLogins(s *settings, q *question, files ...string) error {
	var lines []string
	for _, file := range files {
		b, err := readConfiguration(file)
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
		isFile, known := npmLoginKeys[name]
		value, set := npmExpand(value, q.env)
		if !known || !set || value == "" || strings.ContainsAny(value, "\r\n") || !s.loginAt(where, q) {
			continue
		}
		s.login = true
		if !q.auth {
			continue
		}
		if r := s.inClear(where, q); r != "" {
			return fmt.Errorf("--registry-auth with %s of a project's .npmrc: npm would send your log-in at %s there "+
				"without TLS", r, where)
		}
		l := login{key: key, value: value}
		if isFile {
			b, err := readConfiguration(strings.Trim(value, `"'`))
			if err != nil {
				return fmt.Errorf("npm config: %s: %w", key, err)
			}
			l.file = b
		}
		s.logins = append(s.logins, l)
	}
	return nil
}

// loginAt reports whether a key's //HOST/PATH/ is at a registry: npm takes the longest path that a URL begins with.
// A project does not choose that a log-in goes there without TLS.
func (s *settings) loginAt(where string, q *question) bool {
	for _, r := range s.registries {
		scheme, rest, _ := strings.Cut(r.url, ":")
		if scheme == "http" && q.names(r) {
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
func (s *settings) inClear(where string, q *question) string {
	found := ""
	at, err := url.Parse("http:" + where)
	for _, r := range s.registries {
		u, bad := url.Parse(r.url)
		switch {
		case err != nil || bad != nil || u.Scheme != "http" || !strings.EqualFold(u.Hostname(), at.Hostname()):
		case !q.names(r):
			return "" // the user has the log-in go there without TLS
		default:
			found = r.url
		}
	}
	return found
}

// npmVariable is a variable in a value of npmrc(5).
var npmVariable = pattern(`\$\{([^}?]+)\??\}`)

// npmExpand puts the user's variables into a value. It is false if one is not set.
func npmExpand(value string, env []string) (string, bool) {
	set := true
	value = npmVariable().ReplaceAllStringFunc(value, func(found string) string {
		text, ok := order.Variable(env, npmVariable().FindStringSubmatch(found)[1])
		set = set && ok
		return text
	})
	return value, set
}

// npmUserLogin is the login that a registry's URL holds.
func npmUserLogin(r registry, u *url.Userinfo) login {
	password, _ := u.Password()
	_, where, _ := strings.Cut(r.url, ":")
	return login{key: where + ":_auth", value: base64.StdEncoding.EncodeToString([]byte(u.Username() + ":" + password))}
}
