package install

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
)

// netrc is the login of the user's netrc(5), which pip and the go command read themselves.
const netrc = "netrc"

// netrc takes the user's netrc(5), as it is.
func (s *settings) netrc(q *question) {
	b, err := readConfiguration(filepath.Join(q.home, ".netrc"))
	if err != nil {
		return
	}
	s.login = true
	if q.auth {
		s.logins = append(s.logins, login{key: netrc, file: b})
	}
}

// runWithNetrc is run with that file, which pip and the go command find by a variable. With scripts programs of
// packages run in the launch, and could read the file.
func (j *job) runWithNetrc(ctx context.Context, s step) error {
	for _, l := range j.settings.logins {
		if l.key == netrc && !j.scripts {
			s.env["NETRC"] = filepath.Join(j.private, netrc)
			if err := j.write(s.env["NETRC"], l.file); err != nil {
				return err
			}
		}
	}
	return j.run(ctx, s)
}

// withLogin is a registry's URL with the name and password that log in there.
func (s *settings) withLogin(registry string) string {
	for _, l := range s.logins {
		if r, err := url.Parse(registry); err == nil && l.key == registry {
			r.User = l.user()
			return r.String()
		}
	}
	return registry
}

// user is a name with a password that was kept as url.Userinfo.String has it.
func (l *login) user() *url.Userinfo {
	u, err := url.Parse("http://" + l.value + "@x")
	if err != nil {
		return nil
	}
	return u.User
}

// redactAll takes the names and passwords out of the URLs in a text.
func redactAll(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		if strings.Contains(word, "://") {
			words[i] = redact(word)
		}
	}
	return strings.Join(words, " ")
}
