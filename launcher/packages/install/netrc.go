package install

import (
	"net/url"
	"path/filepath"
	"strings"
)

// netrcLogin is what the user's netrc(5) has for the host of a URL; nil is nothing.
func netrcLogin(home, registry string) *url.Userinfo {
	u, err := url.Parse(registry)
	if err != nil {
		return nil
	}
	b, err := readConfiguration(filepath.Join(home, ".netrc"))
	if err != nil {
		return nil
	}
	return netrcFor(string(b), u.Hostname())
}

// netrcFor is what a text has for a host. The words of a macro end at an empty line, and are left out.
func netrcFor(text, host string) *url.Userinfo {
	var words []string
	for _, block := range strings.Split(strings.ReplaceAll(text, "\r", ""), "\n\n") {
		block, _, _ = strings.Cut(block, "macdef")
		words = append(words, strings.Fields(block)...)
	}
	here, found, login, password := false, false, "", ""
	for i := 0; i < len(words); i++ {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch words[i] {
		case "machine", "default":
			if found {
				return url.UserPassword(login, password)
			}
			here = words[i] == "default" || next == host
			if words[i] == "default" {
				continue
			}
		case "login":
			if here {
				login, found = next, true
			}
		case "password":
			if here {
				password, found = next, true
			}
		}
		i++
	}
	if !found {
		return nil
	}
	return url.UserPassword(login, password)
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
