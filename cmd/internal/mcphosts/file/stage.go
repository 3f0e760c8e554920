package file

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A stage is where a new text lies complete before it changes places with the old: in a folder of this product, which
// no confined server sees. Where files cannot be exchanged between that folder and the file's, as they lie on different
// disks, the text lies beside the file.
type stage struct {
	path   string  // of the file
	name   string  // of the file, in its folder
	folder *folder // of the file
	own    *folder // this product's; nil: it has none that is safer
	beside bool
	laid   string // the name of what was laid
}

// infix is in the names of all that is laid.
const infix = ".mcp-sandbox-"

// prefix is how the names begin of all that is laid for the file.
func (s *stage) prefix() string {
	all := sha256.Sum256([]byte(s.path))
	return infix + hex.EncodeToString(all[:4]) + "-"
}

// at is the folder in which the text lies.
func (s *stage) at() *folder {
	if s.beside {
		return s.folder
	}
	return s.own
}

// lay writes the new text under a name of its own, with the mode and owner of the old file.
func (s *stage) lay(like *object, text []byte, at func(step string)) error {
	s.laid = s.prefix() + rand.Text()
	f, err := s.at().create(s.laid)
	if err != nil {
		return err
	}
	at("created")
	_, err = f.Write(text)
	at("written")
	if err == nil {
		err = dress(f, like)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, s.clear())
	}
	at("laid")
	return nil
}

// exchange gives what was laid and the file each other's names.
func (s *stage) exchange() error { return exchange(s.at(), s.laid, s.folder, s.name) }

// clear removes what was laid.
func (s *stage) clear() error { return s.at().remove(s.laid) }

// is reads a file: the text of one that no process has open for writing, which is the wanted one.
func is(at *folder, name string, want []byte) (text []byte, same bool, err error) {
	o, err := at.open(name)
	if err != nil {
		return nil, false, err
	}
	defer o.Close()
	text, err = o.text()
	return text, err == nil && bytes.Equal(text, want) && !o.written(), err
}

// recoverKilled moves what a killed process left to the backups: the file is the old or the new one then, and what
// another program wrote into the file just before the exchange is in the backups. Names in this product's folder are
// believed. Beside the file a confined server may have put anything under any name: there nothing is looked at.
func (s *stage) recoverKilled() error {
	trusted := s.own
	if trusted == nil {
		trusted = s.folder
	}
	names, err := trusted.names()
	for _, left := range names {
		if !strings.HasPrefix(left, s.prefix()) || err != nil {
			continue
		}
		if _, gone := os.Lstat(s.path); strings.HasSuffix(left, spare) && absent(gone) {
			err = trusted.rename(left, s.name)
		} else {
			err = s.rescue(trusted, left)
		}
	}
	return err
}

// rescue moves a file that is not needed, and may be another program's, to the backups.
func (s *stage) rescue(at *folder, left string) error {
	text, _, err := is(at, left, nil)
	if errors.Is(err, errKind) || errors.Is(err, errSize) { // no later change has to fail of it
		kept := infix + "kept-" + rand.Text()
		return errors.Join(fmt.Errorf("%w, and kept as %s", err, filepath.Join(at.path, kept)), at.rename(left, kept))
	} else if err != nil {
		return err
	}
	_, err = backup(s.path, text)
	return errors.Join(err, at.remove(left))
}

// spare is the end of a name on Windows, between the two steps of an exchange.
const spare = ".spare"
