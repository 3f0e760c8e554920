package job

import (
	"context"
	"net/url"
	"path/filepath"
	"strings"
)

// Netrc is the login of the user's netrc(5), which pip and the go command read themselves.
const Netrc = "netrc"

// Netrc takes the user's netrc(5), as it is.
func (s *Settings) Netrc(q *Question) {
	b, err := ReadConfiguration(filepath.Join(q.Home, ".netrc"))
	if err != nil {
		return
	}
	s.Login = true
	if q.Auth {
		s.Logins = append(s.Logins, Login{Key: Netrc, File: b})
	}
}

// RunWithNetrc is run with that file, which pip and the go command find by a variable. With scripts programs of
// packages run in the launch, and could read the file.
func (j *Job) RunWithNetrc(ctx context.Context, s Step) error {
	for _, l := range j.Settings.Logins {
		if l.Key == Netrc && !j.Scripts {
			s.Env["NETRC"] = filepath.Join(j.Private, Netrc)
			if err := j.Write(s.Env["NETRC"], l.File); err != nil {
				return err
			}
		}
	}
	return j.Run(ctx, s)
}

// WithLogin is a registry's URL with the name and password that log in there.
func (s *Settings) WithLogin(registry string) string {
	for _, l := range s.Logins {
		if r, err := url.Parse(registry); err == nil && l.Key == registry {
			r.User = l.user()
			return r.String()
		}
	}
	return registry
}

// user is a name with a password that was kept as url.Userinfo.String has it.
func (l *Login) user() *url.Userinfo {
	u, err := url.Parse("http://" + l.Value + "@x")
	if err != nil {
		return nil
	}
	return u.User
}

// RedactAll takes the names and passwords out of the URLs in a text.
func RedactAll(text string) string {
	words := strings.Fields(text)
	for i, word := range words {
		if strings.Contains(word, "://") {
			words[i] = Redact(word)
		}
	}
	return strings.Join(words, " ")
}
