package fsview

import (
	"errors"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// addCertificates shows the files that the environment names as trusted.
func addCertificates(t *tree) error {
	for _, key := range [...]string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NIX_SSL_CERT_FILE"} {
		if err := t.certificate(key, lookup(t.request.Env, key), typeFile); err != nil {
			return err
		}
	}
	folders := lookup(t.request.Env, "SSL_CERT_DIR")
	for folder := range strings.SplitSeq(folders, ":") { // SSL_CTX_load_verify_locations(3)
		if err := t.certificate("SSL_CERT_DIR", folder, typeFolder); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) certificate(key, at string, kind uint32) error {
	if at == "" || at[0] != '/' {
		return nil
	}
	r, err := t.host.resolve(path.Clean(at))
	switch {
	case missing(err), errors.Is(err, ErrSystem), err == unix.EACCES, err == nil && !r.entry.is(kind):
		return nil
	case err == nil && kind == typeFolder && t.tooBroad(r.path):
		t.warn(key + " " + at + ": holds more than certificates and is not shown")
		return nil
	case err == nil:
		err = t.allowLink(&r, false)
	}
	if err != nil {
		return &os.PathError{Op: key, Path: at, Err: err}
	}
	t.imply(&r)
	return nil
}
