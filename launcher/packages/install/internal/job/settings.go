package job

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Settings are the user's own configuration of a package manager.
type Settings struct {
	Registries []Registry
	CA         []byte          // certificates in PEM, which the registries' are checked with
	Proxy      string          // the company's, which the manager dials; "" is for none
	NoProxy    string          // hosts that are dialled without, between commas
	Logins     []Login         // only where Question.Auth asked for them
	Login      bool            // there is something that logs in
	Knows      map[string]bool // names of options that this version of the manager has
	Said       []string        // values of other options, which a variable may have too
	Answer     any             // the rest of the answer, for the manager's own Go package
}

// A Registry is a server of packages.
type Registry struct {
	Scope string // "@x"; "" for the registry of all other packages
	URL   string // ends in a slash, and has no user name

	Ignored bool // the manager asks nothing there, whoever answers
}

// A Login is a line of configuration with a secret.
type Login struct {
	Key, Value string
	File       []byte // the text of the file that Value names; nil where it names none
}

// NewRegistry takes a URL apart: the user's name and password in it are a login.
func NewRegistry(scope, text string) (Registry, *url.Userinfo, error) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	isHTTP := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != ""
	if !isHTTP || strings.ContainsAny(text, "${}\"'`\\ ") {
		return Registry{}, nil, fmt.Errorf("%.100q is no http:// or https:// URL", Redact(text))
	}
	if !isPlainHost(strings.ToLower(u.Hostname())) {
		return Registry{}, nil, fmt.Errorf("%.100q has a host that programs read in different ways: write its name, "+
			"or its address in the usual form", Redact(text))
	}
	user := u.User
	u.User, u.RawQuery, u.Fragment, u.Host = nil, "", "", strings.ToLower(u.Host)
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return Registry{Scope: scope, URL: u.String()}, user, nil
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

// Redact takes user name and password out of the text of a URL.
func Redact(text string) string {
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

// Serving is the registry that an archive's URL belongs to, by scheme, host and port; "" is none.
func (s *Settings) Serving(archive string) string {
	a, err := url.Parse(archive)
	if err != nil || a.User != nil {
		return ""
	}
	for _, r := range s.Registries {
		if u, err := url.Parse(r.URL); err == nil && u.Scheme == a.Scheme && place(u) == place(a) {
			return r.URL
		}
	}
	return ""
}

// of is the registry of a package.
func (s *Settings) of(name string) string {
	scope, _, _ := strings.Cut(name, "/")
	found := ""
	for _, r := range s.Registries {
		if r.Scope == "" && found == "" || r.Scope == scope && strings.HasPrefix(name, "@") {
			found = r.URL
		}
	}
	return found
}

// Certificates returns the certificates of a text and a file, and nothing else of them: the rest may be a key.
func Certificates(text, file string) ([]byte, error) {
	b := []byte(strings.ReplaceAll(text, `\n`, "\n") + "\n")
	if file != "" {
		if !filepath.IsAbs(file) {
			return nil, fmt.Errorf("%.200q is no absolute path", file)
		}
		more, err := ReadConfiguration(file)
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

// Has reports whether the configuration has a variable's value anyway.
func (s *Settings) Has(value string) bool {
	if slices.Contains(s.Said, value) {
		return true
	}
	r, _, err := NewRegistry("", value)
	return err == nil && len(s.Registries) > 0 && s.Registries[0].URL == r.URL
}
