package file

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// A stage is where a new text lies complete before it changes places with the old: in a folder of this product, which
// no confined server sees, so that none can write into the text before it counts. Where files cannot be exchanged
// between that folder and the file's, as they lie on different disks, the text lies beside the file.
type stage struct {
	path   string  // of the file
	name   string  // of the file, in its folder
	folder *folder // of the file
	own    *folder // this product's; nil: it has none that is safer
	beside bool
	laid   string // the name of what was laid
}

// The names of what is laid say which file is meant and what the old and the new text are, so that what a killed
// process left can be told: a text half written, one that was never put in its place, or the file that came out.
const (
	infix     = ".mcp-sandbox-"
	half      = ".half"
	spare     = ".spare"  // on Windows, between the two steps of an exchange
	elsewhere = ".beside" // in the product's folder: a text of this name lies beside its file
)

// prefix is how the names begin of all that is laid for the file.
func (s *stage) prefix() string { return "." + s.name + infix + sum([]byte(s.path))[:8] + "-" }

func sum(text []byte) string {
	all := sha256.Sum256(text)
	return hex.EncodeToString(all[:8])
}

// at is the folder in which the text lies.
func (s *stage) at() *folder {
	if s.beside {
		return s.folder
	}
	return s.own
}

// lay writes the new text under a name of its own, with the mode and owner of the old file.
func (s *stage) lay(like *object, r Result, at func(step string)) error {
	s.laid = s.prefix() + rand.Text()[:8] + "-" + sum(r.Old) + "-" + sum(r.New)
	if len(s.laid+half) > 255 {
		return errName
	}
	if s.beside && s.own != nil {
		f, err := s.own.create(s.laid + elsewhere)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			return err
		}
		at("marked")
	}
	f, err := s.at().create(s.laid + half)
	if err != nil {
		return err
	}
	at("created")
	_, err = f.Write(r.New)
	at("written")
	if err == nil {
		err = dress(f, like)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		at("synced")
		err = s.at().rename(s.laid+half, s.laid)
	}
	if err != nil {
		return errors.Join(err, s.at().remove(s.laid+half), s.unmark(s.laid))
	}
	at("laid")
	return nil
}

// exchange gives what was laid and the file each other's names.
func (s *stage) exchange() error { return exchange(s.at(), s.laid, s.folder, s.name) }

// put exchanges the new text and the file. Beside the file a confined server may write into the text, so there it is
// read again while the kernel lets nobody open it for writing.
func (s *stage) put(want []byte, at func(step string)) error {
	if !s.beside || s.own == nil {
		return s.exchange()
	}
	o, err := s.folder.open(s.laid)
	if err != nil {
		return err
	}
	defer o.Close()
	text, err := o.settled()
	if err == nil && !bytes.Equal(text, want) {
		err = errTouched
	}
	if err != nil {
		return err
	}
	at("guarded")
	if err := s.exchange(); err != nil {
		return err
	}
	if o.disturbed() {
		return errors.Join(errTouched, s.exchange())
	}
	return nil
}

// clear removes what was laid.
func (s *stage) clear() error { return errors.Join(s.at().remove(s.laid), s.unmark(s.laid)) }

func (s *stage) unmark(laid string) error {
	if !s.beside || s.own == nil {
		return nil
	}
	return s.own.remove(laid + elsewhere)
}

// take reads what came out of an exchange, and removes it if it is what this process expects, while nobody can write.
func (s *stage) take(want []byte) (text []byte, removed bool, err error) {
	o, err := s.at().open(s.laid)
	if err != nil {
		return nil, false, err
	}
	defer o.Close()
	text, err = o.settled()
	switch {
	case errors.Is(err, errOpen):
		return text, false, nil
	case err != nil || !bytes.Equal(text, want):
		return text, false, err
	}
	return text, true, s.clear()
}
