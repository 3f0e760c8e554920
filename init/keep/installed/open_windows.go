package installed

import (
	"errors"
	"os"
)

// A Folder of the store is open.
type Folder struct{ Path string }

// Open fails: the store keeps no package on Windows.
func Open(at string, _ int, _ func() error) (*Folder, error) { return OpenStage(at, 0) }

// OpenStage fails as Open does.
func OpenStage(at string, _ int) (*Folder, error) {
	return nil, &os.PathError{Op: "open", Path: at, Err: errors.ErrUnsupported}
}

// Close does nothing.
func (f *Folder) Close() {}
