package file

import (
	"errors"
	"strings"
)

// recoverKilled ends what a killed process began: the file is the old or the new one then, or what another program
// wrote since, and nothing lies about.
//
// The names in this product's folder are believed. Beside the file a confined server may have put anything under any
// name: so nothing is looked at there that is not marked in the product's folder, and nothing is put into the file.
func (s *stage) recoverKilled() error {
	trusted := s.own
	if trusted == nil {
		trusted = s.folder
	}
	names, err := trusted.names()
	if err != nil {
		return err
	}
	for _, left := range names {
		if !strings.HasPrefix(left, s.prefix()) {
			continue
		}
		if laid, beside := strings.CutSuffix(left, elsewhere); beside {
			err = errors.Join(s.recoverFrom(s.folder, laid), s.recoverFrom(s.folder, laid+half), trusted.remove(left))
		} else {
			err = s.recoverFrom(trusted, left)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recoverFrom removes the half of a text, the old or the new text. Another text is that of a program which wrote the
// file just before the exchange: it belongs into the file, unless that has been written since.
func (s *stage) recoverFrom(at *folder, left string) error {
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(left, s.prefix()), spare), "-")
	o, err := at.open(left)
	if absent(err) {
		return nil
	} else if err != nil {
		return err
	}
	text, err := o.text()
	o.Close()
	switch is := sum(text); {
	case strings.HasSuffix(left, half):
		return at.remove(left)
	case err != nil:
		return err
	case len(parts) != 3:
		return s.rescue(at, left)
	case is == parts[1] || is == parts[2]:
		return at.remove(left)
	}
	if now, err := s.folder.open(s.name); err == nil {
		text, err = now.text()
		now.Close()
		if err == nil && sum(text) == parts[2] && (at == s.own || s.own == nil) {
			if err := exchange(at, left, s.folder, s.name); err != nil {
				return err
			}
		}
	}
	return s.rescue(at, left)
}

// rescue moves what nobody needs, and no program of ours wrote, to the backups.
func (s *stage) rescue(at *folder, left string) error {
	o, err := at.open(left)
	if err != nil {
		return err
	}
	text, err := o.text()
	o.Close()
	if err == nil {
		_, err = backup(s.path, text)
	}
	return errors.Join(err, at.remove(left))
}
