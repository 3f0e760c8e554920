package file

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
)

// The names of what this package lays beside a file. A half text has a name of its own, so that what a killed process
// left says what it is: the half of a text, a text that was never put in its place, or the file that came out.
const (
	infix  = ".mcp-sandbox-"
	suffix = ".half"
	spare  = ".spare" // on Windows, between the two steps of an exchange
)

func halfName(name, random string) string { return "." + name + infix + random + suffix }

func besideName(name, random string, r Result) string {
	return "." + name + infix + random + "-" + sum(r.Old) + "-" + sum(r.New)
}

func sum(text []byte) string {
	all := sha256.Sum256(text)
	return hex.EncodeToString(all[:8])
}

// take reads what came out of an exchange, and removes it if it is what this process expects, while nobody can write.
func (f *folder) take(beside string, want []byte) (text []byte, removed bool, err error) {
	o, err := f.open(beside)
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
	return text, true, f.remove(beside)
}

// recoverKilled ends what a killed process began: the file is the old or the new one then, or what another program
// wrote since, and nothing lies beside.
func recoverKilled(folder *folder, path, name string) error {
	names, err := folder.names()
	if err != nil {
		return err
	}
	for _, left := range names {
		rest, ours := strings.CutPrefix(left, "."+name+infix)
		parts := strings.Split(strings.TrimSuffix(rest, spare), "-")
		half := strings.HasSuffix(rest, suffix)
		if !ours || !half && len(parts) != 3 {
			continue
		}
		o, err := folder.open(left)
		if err != nil {
			continue // a link, a folder: not of this package's making
		}
		text, err := o.text()
		foreign := o.foreign()
		o.Close()
		switch {
		case foreign:
		case half:
			err = folder.remove(left)
		case err == nil:
			err = recoverBeside(folder, path, left, parts[1], parts[2], text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// recoverBeside removes the old or the new text. Another text is that of a program which wrote the file just before the
// exchange: it belongs into the file, unless that has been written since.
func recoverBeside(folder *folder, path, left, old, new string, text []byte) error {
	if is := sum(text); is == old || is == new {
		return folder.remove(left)
	}
	name := filepath.Base(path)
	o, err := folder.open(name)
	if err != nil {
		return rescue(folder, path, left)
	}
	now, err := o.text()
	o.Close()
	if err != nil || sum(now) != new {
		return errors.Join(err, rescue(folder, path, left))
	}
	if err := folder.exchange(left, name); err != nil {
		return err
	}
	return rescue(folder, path, left)
}

// rescue moves what nobody needs, and no program of ours wrote, to the backups.
func rescue(folder *folder, path, left string) error {
	o, err := folder.open(left)
	if err != nil {
		return err
	}
	text, err := o.text()
	o.Close()
	if err == nil {
		_, err = backup(path, text)
	}
	return errors.Join(err, folder.remove(left))
}
