package fsview

import "errors"

// A walk goes through folders breadth first, and through no link.
type walk struct {
	lookups *lookups
	folders []string // those to list, and behind them the ones found in them
	left    int      // names that may still be listed
}

var errMany = errors.New("too many names")

// list lists a folder. Folders in it are added to those of the walk, and f gets each file of one type until it returns
// false, or why a file cannot be looked at. A file that is gone meanwhile is passed over.
func (w *walk) list(folder string, kind uint32, f func(path string, e *entry, err error) bool) error {
	many := false
	err := w.lookups.list(folder, func(name []byte, is uint32) bool {
		if w.left--; w.left < 0 {
			many = true
			return false
		}
		if is != 0 && is != kind && is != typeFolder {
			return true
		}
		path := join(folder, string(name))
		if is == typeFolder {
			w.folders = append(w.folders, path)
			return true
		}
		e, err := statx(path)
		switch {
		case missing(err):
		case err == nil && e.is(typeFolder):
			w.folders = append(w.folders, path)
		case err != nil || e.is(kind):
			return f(path, &e, err)
		}
		return true
	})
	if many {
		return errMany
	}
	return err
}
