package fsview

import (
	"errors"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// certificates shows the files that the environment names as trusted.
func (p *planner) certificates() error {
	for _, key := range [...]string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NIX_SSL_CERT_FILE"} {
		if err := p.certificate(key, lookup(p.r.Env, key), typeFile); err != nil {
			return err
		}
	}
	for rest := lookup(p.r.Env, "SSL_CERT_DIR"); rest != ""; {
		var folder string
		folder, rest, _ = strings.Cut(rest, ":") // SSL_CTX_load_verify_locations(3)
		if err := p.certificate("SSL_CERT_DIR", folder, typeFolder); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) certificate(key, at string, kind uint32) error {
	if at == "" || at[0] != '/' {
		return nil
	}
	r, err := p.host.resolve(path.Clean(at))
	switch {
	case missing(err) || errors.Is(err, ErrSystem):
		return nil
	case err == nil && !r.entry.is(kind) || err == unix.EACCES:
		return nil
	case err == nil && kind == typeFolder && p.never(r.path):
		p.warn(key + " " + at + ": holds more than certificates and is not shown")
		return nil
	case err == nil:
		err = p.trust(&r, false)
	}
	if err != nil {
		return &os.PathError{Op: key, Path: at, Err: err}
	}
	p.imply(&r)
	return nil
}
