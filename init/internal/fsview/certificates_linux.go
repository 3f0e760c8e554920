package fsview

import (
	"errors"
	"os"
	"path"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// certificates are the files that the environment names as trusted.
type certificates struct{ *tree }

func (t certificates) add() {
	for _, key := range [...]string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NIX_SSL_CERT_FILE"} {
		t.show(key, order.Lookup(t.request.Env, key), typeFile)
	}
	folders := order.Lookup(t.request.Env, "SSL_CERT_DIR")
	for folder := range strings.SplitSeq(folders, ":") { // SSL_CTX_load_verify_locations(3)
		t.show("SSL_CERT_DIR", folder, typeFolder)
	}
}

func (t certificates) show(key, at string, kind uint32) {
	if at == "" || at[0] != '/' {
		return
	}
	r, err := t.lookups.resolve(path.Clean(at))
	switch {
	case missing(err), errors.Is(err, ErrSystem), err == unix.EACCES, err == nil && !r.entry.is(kind):
		return
	case err == nil && kind == typeFolder && t.tooBroad(r.path):
		t.warn(key + " " + at + ": holds more than certificates and is not shown")
		return
	case err == nil:
		err = t.allowLink(&r, false)
	}
	if err != nil {
		t.fail(&os.PathError{Op: key, Path: at, Err: err})
		return
	}
	t.imply(&r)
}
