package file

import (
	"bytes"
	"errors"
	"path/filepath"
	"time"
)

// tries is how often a change is made again because another program wrote the file meanwhile.
const tries = 5

// A Result says what was there and what is.
type Result struct {
	Old, New []byte
	Backup   string // where Old lies; empty if nothing was changed
}

// Change replaces the file by what change makes of its text. The function is called again with what another program
// wrote meanwhile. If the text stays the same, nothing is written.
func (t Target) Change(change func(old []byte) ([]byte, error)) (Result, error) {
	return changer{Target: t, change: change, at: func(string) {}}.run()
}

// Settle ends what a killed mcp-sandbox began with the file, as [Target.Change] does, and changes nothing else. Another
// mcp-sandbox that is at work with files does that itself.
func (t Target) Settle() error {
	_, done, err := t.begin()
	if err == nil {
		done()
	}
	if errors.Is(err, errLocked) {
		return nil
	}
	return err
}

// Alone calls a function while no other mcp-sandbox of this user changes files.
func Alone(do func() error) error {
	_, unlock, err := lock()
	if err != nil {
		return err
	}
	defer unlock()
	return do()
}

// A changer replaces one file. Tests stop it at its steps.
type changer struct {
	Target
	change func(old []byte) ([]byte, error)
	at     func(step string)
	beside bool // tests: as if no file could be exchanged with one of another folder
}

func (c changer) run() (Result, error) {
	s, done, err := c.begin()
	if err != nil {
		return Result{}, err
	}
	defer done()
	s.beside = s.own == nil || c.beside
	for i := 0; i < tries; i++ {
		result, again, err := c.try(s)
		switch {
		case isElsewhere(err) && !s.beside:
			s.beside = true
		case err != nil:
			return Result{}, c.error("replace", err)
		case !again:
			return result, nil
		default:
			time.Sleep(time.Duration(i) * 20 * time.Millisecond)
		}
	}
	return Result{}, c.error("replace", errBusy)
}

// begin takes the lock, and ends what a killed process began with the file.
func (t Target) begin() (s *stage, done func(), err error) {
	own, unlock, err := lock()
	if err != nil {
		return nil, nil, t.error("lock", err)
	}
	folder, err := openFolder(filepath.Dir(t.File))
	if err != nil {
		unlock()
		return nil, nil, t.error("open", err)
	}
	s = &stage{path: t.File, name: filepath.Base(t.File), folder: folder, own: own}
	done = func() { folder.close(); unlock() }
	if err := s.recoverKilled(); err != nil {
		done()
		return nil, nil, t.error("clear away what a killed mcp-sandbox left of", err)
	}
	return s, done, nil
}

// try makes one change; again: another program wrote the file, and what that wrote is in its place.
func (c changer) try(s *stage) (result Result, again bool, err error) {
	o, err := s.folder.open(s.name)
	if err != nil {
		return result, false, err
	}
	defer o.Close()
	if err := o.fixed(); err != nil {
		return result, false, err
	}
	if result.Old, err = o.text(); err != nil {
		return result, false, err
	}
	o.shut()
	c.at("read")
	if result.New, err = c.change(bytes.Clone(result.Old)); err != nil || bytes.Equal(result.Old, result.New) {
		return result, false, err
	}
	if err := s.lay(o, result.New, c.at); err != nil {
		return result, false, err
	}
	if result.Backup, err = backup(c.File, result.Old); err != nil {
		return result, false, errors.Join(err, s.clear())
	}
	c.at("backup")
	if !s.folder.same(s.name, o) || o.written() {
		return result, true, errors.Join(s.clear(), forget(result.Backup))
	}
	c.at("compared")
	if err := s.exchange(); absent(err) { // the host took the file away; the next try says so
		return result, true, errors.Join(s.clear(), forget(result.Backup))
	} else if err != nil {
		return result, false, errors.Join(err, s.clear(), forget(result.Backup))
	}
	c.at("exchanged")
	if again, err = c.settle(s, result); again && err == nil {
		err = forget(result.Backup)
	}
	return result, again, errors.Join(err, s.folder.sync())
}

// settle looks at what came out of the exchange. If that is not the text that was read, another program wrote it last,
// and it is put back; and so on, because such a program may have written the new file too. What this process put there
// itself, and no other process changed, is removed in the end: again, if that is the new text. A text that lay beside
// the file is looked at too: a confined server may have written to it.
func (c changer) settle(s *stage, r Result) (again bool, err error) {
	want, put := r.Old, r.New
	for range tries {
		came, same, err := is(s.at(), s.laid, want)
		if err == nil && same && s.beside && s.own != nil && bytes.Equal(put, r.New) {
			if _, safe, err := is(s.folder, s.name, put); err == nil && !safe {
				return false, errors.Join(errTouched, s.exchange(), s.clear())
			}
		}
		if errors.Is(err, errKind) || errors.Is(err, errSize) {
			err = nil // a link, say, took the file's place: the next try says so
		}
		if same || err != nil {
			if err == nil {
				err = s.clear()
			}
			c.at("removed")
			return again, err
		}
		switch err := s.exchange(); {
		case absent(err): // the host took its file away
			return true, s.rescue(s.at(), s.laid)
		case err != nil:
			return again, err
		}
		c.at("exchanged")
		want, put, again = put, came, true
	}
	return again, errors.Join(errBusy, s.rescue(s.at(), s.laid))
}
