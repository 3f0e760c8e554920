package principal

import (
	"fmt"
	"os"
	"sync"
)

// A Fresh is a value of files, which are read again when they have changed. A file that is broken or missing changes
// nothing.
type Fresh[T any] struct {
	files []string
	read  func() (T, error)
	tell  func(error)

	mu    sync.Mutex
	value T
	stamp string // of the files with this value
	told  string // of files that could not be read
}

// NewFresh reads the files for the first time. tell is told why they could not be read again.
func NewFresh[T any](read func() (T, error), tell func(error), files ...string) (*Fresh[T], error) {
	f := &Fresh[T]{files: files, read: read, tell: tell}
	f.stamp = f.look()
	var err error
	f.value, err = read()
	return f, err
}

func (f *Fresh[T]) look() (stamp string) {
	for _, name := range f.files {
		if info, err := os.Stat(name); err != nil {
			stamp += err.Error()
		} else {
			stamp += fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano(), " ")
		}
	}
	return stamp
}

// Get is the value of the files as they are.
func (f *Fresh[T]) Get() T {
	f.mu.Lock()
	defer f.mu.Unlock()
	stamp := f.look()
	if stamp == f.stamp {
		return f.value
	}
	if value, err := f.read(); err == nil {
		f.value, f.stamp, f.told = value, stamp, ""
	} else if stamp != f.told { // once; it is tried again, for descriptors may have been too few
		f.told = stamp
		f.tell(err)
	}
	return f.value
}
