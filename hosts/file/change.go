package file

import (
	"bytes"
	"crypto/rand"
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
	return changer{t, change, func(string) {}}.run()
}

// A changer replaces one file. Tests stop it at its steps.
type changer struct {
	Target
	change func(old []byte) ([]byte, error)
	at     func(step string)
}

func (c changer) run() (Result, error) {
	unlock, err := lock()
	if err != nil {
		return Result{}, c.error("lock", err)
	}
	defer unlock()
	folder, err := openFolder(filepath.Dir(c.File))
	if err != nil {
		return Result{}, err
	}
	defer folder.close()
	name := filepath.Base(c.File)
	if err := recoverKilled(folder, c.File, name); err != nil {
		return Result{}, c.error("clear away what a killed mcp-sandbox left of", err)
	}
	for i := range tries {
		result, again, err := c.try(folder, name)
		if err != nil {
			return Result{}, c.error("replace", err)
		}
		if !again {
			return result, nil
		}
		time.Sleep(time.Duration(i) * 20 * time.Millisecond)
	}
	return Result{}, c.error("replace", errBusy)
}

// try makes one change; again: another program wrote the file, and what that wrote is in its place.
func (c changer) try(folder *folder, name string) (result Result, again bool, err error) {
	o, err := folder.open(name)
	if err != nil {
		return result, false, err
	}
	defer o.Close()
	if err := o.fixed(); err != nil {
		return result, false, err
	}
	if result.Old, err = o.settled(); err != nil {
		return result, false, err
	}
	o.release()
	c.at("read")
	if result.New, err = c.change(bytes.Clone(result.Old)); err != nil || bytes.Equal(result.Old, result.New) {
		return result, false, err
	}
	beside, err := c.lay(folder, name, o, result)
	if err != nil {
		return result, false, err
	}
	if result.Backup, err = backup(c.File, result.Old); err != nil {
		return result, false, errors.Join(err, folder.remove(beside))
	}
	c.at("backup")
	if !folder.same(name, o) {
		return result, true, errors.Join(folder.remove(beside), forget(result.Backup))
	}
	c.at("compared")
	if err := folder.exchange(beside, name); absent(err) { // the host took the file away; the next try says so
		return result, true, errors.Join(folder.remove(beside), forget(result.Backup))
	} else if err != nil {
		return result, false, errors.Join(err, folder.remove(beside), forget(result.Backup))
	}
	c.at("exchanged")
	if again, err = c.settle(folder, name, beside, result); again && err == nil {
		err = forget(result.Backup)
	}
	return result, again, errors.Join(err, folder.sync())
}

// lay puts the new text complete beside the old, under a name that says what both are.
func (c changer) lay(folder *folder, name string, like *object, r Result) (string, error) {
	random := rand.Text()[:8]
	half, beside := halfName(name, random), besideName(name, random, r)
	if len(beside) > 255 {
		return "", errName
	}
	f, err := folder.create(half)
	if err != nil {
		return "", err
	}
	c.at("created")
	_, err = f.Write(r.New)
	c.at("written")
	if err == nil {
		err = dress(f, like)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		c.at("synced")
		err = folder.rename(half, beside)
	}
	if err != nil {
		return "", errors.Join(err, folder.remove(half))
	}
	c.at("laid")
	return beside, nil
}

// settle looks at what came out of the exchange. If that is not the text that was read, another program wrote it last,
// and it is put back; and so on, because such a program may have written the new file too. What this process put there
// itself, and nobody else changed, is removed in the end: again, if that is the new text.
func (c changer) settle(folder *folder, name, beside string, r Result) (again bool, err error) {
	want, put := r.Old, r.New
	for range tries {
		came, removed, err := folder.take(beside, want)
		if removed || err != nil {
			c.at("removed")
			return again, err
		}
		switch err := folder.exchange(beside, name); {
		case absent(err): // the host took its file away
			return true, rescue(folder, c.File, beside)
		case err != nil:
			return again, err
		}
		c.at("exchanged")
		want, put, again = put, came, true
	}
	return again, errBusy
}
