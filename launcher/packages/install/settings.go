package install

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
)

// settings are what the user's own configuration of a package manager says.
type settings struct {
	registries []registry
	ca         []byte          // certificates in PEM, which the registries' are checked with
	proxy      string          // the company's, which the manager dials; "" is for none
	noProxy    string          // hosts that are dialled without, between commas
	logins     []login         // what logs in; only where question.auth asked for it
	login      bool            // there is something that logs in
	knows      map[string]bool // names of options that this version of the manager has
	said       []string        // what else the manager said that a variable can say
	python     *pipAnswer      // of pip alone
	golang     *goAnswer       // of Go alone
}

// A registry is a server of packages.
type registry struct {
	scope string // "@x"; "" for the registry of all other packages
	url   string // ends in a slash, and has no user name
}

// A login is a line of configuration with a secret.
type login struct {
	key, value string
	file       []byte // what the file has that value names; nil for a value that names none
}

// newRegistry takes a URL apart: the user's name and password in it are a login.
func newRegistry(scope, text string) (registry, *url.Userinfo, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	isHTTP := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != ""
	if !isHTTP || strings.ContainsAny(text, "${}\"'`\\ ") {
		return registry{}, nil, fmt.Errorf("%.100q is no http:// or https:// URL", redact(text))
	}
	if !isPlainHost(strings.ToLower(u.Hostname())) {
		return registry{}, nil, fmt.Errorf("%.100q has a host that programs read in different ways: write its name, "+
			"or its address in the usual form", redact(text))
	}
	user := u.User
	u.User, u.RawQuery, u.Fragment, u.Host = nil, "", "", strings.ToLower(u.Host)
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return registry{scope, u.String()}, user, nil
}

// isPlainHost reports whether a host is written as everybody knows it. npm takes 2130706433, 127.1 and 0:0::1 for other
// texts, and then for the host of a log-in: url.spec.whatwg.org/#host-parsing.
func isPlainHost(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return a.String() == host && !a.Is4In6() && a.Zone() == ""
	}
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && (last[0] < '0' || last[0] > '9') && !strings.ContainsFunc(host, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789-._", r)
	})
}

// redact takes user name and password out of the text of a URL.
func redact(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		scheme, rest = "", text
	}
	host, path, below := strings.Cut(rest, "/")
	host = host[strings.LastIndex(host, "@")+1:]
	at := strings.LastIndex(path, "@")
	if _, err := url.Parse("//" + host); err != nil && at >= 0 { // u:pass/word@host, and not github:x/y
		host, path, below = strings.Cut(path[at+1:], "/")
	}
	if below {
		host += "/"
	}
	if found {
		scheme += "://"
	}
	return scheme + host + path
}

// place is the host and port of a URL, as HOST:PORT.
func place(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// serving is the registry that an archive's URL belongs to, by scheme, host and port; "" is none.
func (s *settings) serving(archive string) string {
	a, err := url.Parse(archive)
	if err != nil || a.User != nil {
		return ""
	}
	for _, r := range s.registries {
		if u, err := url.Parse(r.url); err == nil && u.Scheme == a.Scheme && place(u) == place(a) {
			return r.url
		}
	}
	return ""
}

// of is the registry of a package.
func (s *settings) of(name string) string {
	scope, _, _ := strings.Cut(name, "/")
	found := ""
	for _, r := range s.registries {
		if r.scope == "" && found == "" || r.scope == scope && strings.HasPrefix(name, "@") {
			found = r.url
		}
	}
	return found
}

// certificates are those in a text and a file, and nothing else that stands there: what is no certificate may be a key.
func certificates(text, file string) ([]byte, error) {
	b := []byte(strings.ReplaceAll(text, `\n`, "\n") + "\n")
	if file != "" {
		if !filepath.IsAbs(file) {
			return nil, fmt.Errorf("%.200q is no absolute path", file)
		}
		more, err := readConfiguration(file)
		if err != nil {
			return nil, err
		}
		b = append(b, more...)
	}
	var all bytes.Buffer
	for block, rest := pem.Decode(b); block != nil; block, rest = pem.Decode(rest) {
		if strings.HasSuffix(block.Type, "CERTIFICATE") {
			if err := pem.Encode(&all, &pem.Block{Type: block.Type, Bytes: block.Bytes}); err != nil {
				return nil, err
			}
		}
	}
	return all.Bytes(), nil
}
