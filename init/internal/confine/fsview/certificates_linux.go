package fsview

import (
	"errors"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/certpem"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// Bounds of what is read: of one file, of all together, and the folders of a variable, the names in all folders and the
// files with certificates.
const (
	maxCertificateFile  = 2 << 20
	maxCertificateBytes = 4 << 20
	maxCertificateNames = 4096
	maxCertificatePlace = 64
	maxCertificateFiles = 1024
)

// certificates are those in the files that the environment names as trusted. A variable may name anything, and an entry
// of a project may set it: nothing but certificates is shown, and no file of the host's.
type certificates struct {
	*tree
	bytes, files, names int // so far
	steps               int // on the ways there
}

// A certified is a file in which certificates were found, by its name, and their text.
type certified struct{ path, text string }

// Reasons why certificates are not shown.
var (
	errNoCertificate = errors.New("holds no certificate in PEM")
	errLargeFile     = errors.New("has more than 2M")
	errLargeTogether = errors.New("has, with those before, more than 4M or 1024 files")
	errManyNames     = errors.New("has, with those before, more than 4096 files")
	errManySteps     = errors.New("has, with those before, too many links on the way")
)

func (c *certificates) add() {
	for _, key := range [...]string{"NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "NIX_SSL_CERT_FILE"} {
		c.variable(key, typeFile)
	}
	c.variable("SSL_CERT_DIR", typeFolder)
}

// variable shows one variable's certificates. Without a root of its own the server gets a variable with other paths.
func (c *certificates) variable(key string, kind uint32) {
	value := order.Lookup(c.request.Env, key)
	places := []string{value}
	if kind == typeFolder {
		places = strings.Split(value, ":") // SSL_CTX_load_verify_locations(3)
	}
	if len(places) > maxCertificatePlace {
		c.refuse(key, "with "+strconv.Itoa(len(places))+" folders", "has more than 64")
		return
	}
	for i, at := range places {
		r, ok := c.find(key, at, kind)
		if !ok {
			continue
		}
		all, err := c.read(&r)
		if err != nil {
			c.refuse(key, at, err.Error())
			continue
		}
		c.points.show(&r) // the links on the way, now that certificates are behind them
		c.certified = append(c.certified, r.path)
		if c.request.Shared {
			places[i] = c.copy(&r, all)
		} else {
			c.show(&r, all)
		}
	}
	if now := strings.Join(places, ":"); now != value {
		c.view.Env = append(c.view.Env, key+"="+now)
	}
}

// refuse says why a variable shows nothing.
func (c *certificates) refuse(key, at, why string) {
	text := key + " " + at + ": " + why + " and is not shown"
	c.warn(text)
	c.view.Uncertified = append(c.view.Uncertified, text)
}

// find resolves a file or folder that is not visible anyway.
func (c *certificates) find(key, at string, kind uint32) (r resolved, ok bool) {
	if at == "" || at[0] != '/' {
		return r, false
	}
	r, err := c.lookups.resolve(path.Clean(at))
	switch c.steps += r.names; {
	case c.steps > maxOnTheWay:
		c.refuse(key, at, errManySteps.Error())
		return r, false
	case missing(err), errors.Is(err, ErrSystem), err == unix.EACCES:
		return r, false
	case err == nil && !r.entry.is(kind):
		c.refuse(key, at, "is no "+map[uint32]string{typeFile: "file", typeFolder: "folder"}[kind])
		return r, false
	case err == nil && kind == typeFolder && c.tooBroad(r.path):
		c.refuse(key, at, "holds more than certificates")
		return r, false
	case err == nil:
		err = c.allowLink(&r, false)
	}
	if err != nil {
		c.fail(&os.PathError{Op: key, Path: at, Err: err})
		return r, false
	}
	if c.points.access(r.path).read { // a name on the way may be a link
		c.points.show(&r)
		return r, false
	}
	return r, !c.points.denied(r.path)
}

// read reads a file, or the files of a folder.
func (c *certificates) read(r *resolved) (all []certified, err error) {
	if r.entry.is(typeFile) {
		text, err := c.text(r)
		return []certified{{r.path, text}}, err
	}
	if c.request.Root && !c.request.may(&r.entry, r.path, needed(&r.entry, false)) {
		return nil, cannotRead(unix.EACCES)
	}
	names, err := c.list(r.path)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		f, err := c.lookups.resolveFrom(r.path, name)
		if c.steps += f.names; c.steps > maxOnTheWay {
			return nil, errManySteps
		}
		at := join(r.path, name)
		if err != nil || !f.entry.is(typeFile) || c.allowLink(&f, false) != nil || c.points.denied(f.path) ||
			c.points.denied(at) {
			continue
		}
		text, err := c.text(&f)
		switch {
		case errors.Is(err, errLargeTogether):
			return nil, err
		case err == nil:
			all = append(all, certified{at, text})
		}
	}
	if len(all) == 0 {
		return nil, errNoCertificate
	}
	return all, nil
}

// list is the names of a folder's files and links, sorted.
func (c *certificates) list(folder string) (names []string, err error) {
	many := false
	err = c.lookups.list(folder, func(name []byte, kind uint32) bool {
		if kind == 0 || kind == typeFile || kind == typeLink {
			names = append(names, string(name))
		}
		c.names++ // of what shows nothing too: an entry may name one folder many times
		many = c.names > maxCertificateNames
		return !many
	})
	switch {
	case err != nil:
		return nil, cannotRead(err)
	case many:
		return nil, errManyNames
	}
	slices.Sort(names)
	return names, nil
}

// text is the certificates of one file.
func (c *certificates) text(r *resolved) (string, error) {
	if c.request.Root && !c.request.may(&r.entry, r.path, needed(&r.entry, false)) {
		return "", cannotRead(unix.EACCES)
	}
	b, err := c.lookups.read(r.path, maxCertificateFile+1)
	if err != nil {
		return "", cannotRead(err)
	}
	if c.bytes += len(b); c.bytes > maxCertificateBytes {
		return "", errLargeTogether
	}
	if len(b) > maxCertificateFile {
		return "", errLargeFile
	}
	text := string(certpem.Only(b))
	if text == "" {
		return "", errNoCertificate
	}
	if c.files++; c.files > maxCertificateFiles {
		return "", errLargeTogether
	}
	return text, nil
}

func cannotRead(err error) error {
	if at := (*os.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return errors.New("cannot be read (" + err.Error() + ")")
}

// show makes files of certificates, and links at the paths of the host's.
func (c *certificates) show(r *resolved, all []certified) {
	if r.entry.is(typeFolder) {
		c.points.setGenerated(r.path, folder, 0o755, "")
	}
	for _, f := range all {
		if c.points.access(f.path).read || c.points.has(f.path, link) {
			continue
		}
		c.points.setGenerated(certificatesAt+f.path, file, 0o444, f.text)
		c.points.setGenerated(f.path, link, 0, certificatesAt+f.path)
	}
}

// copy has the launcher make files of certificates, and returns the path of the file, or of the folder with the files.
func (c *certificates) copy(r *resolved, all []certified) string {
	files := make([]Node, len(all))
	for i, f := range all {
		files[i] = Node{Path: baseOf(f.path), Kind: File, Mode: 0o444, Content: f.text}
	}
	at := join(c.request.Private, PrivateCertificates+"/"+strconv.Itoa(len(c.view.Copies)))
	c.view.Copies = append(c.view.Copies, files)
	if r.entry.is(typeFile) {
		return join(at, files[0].Path)
	}
	return at
}
