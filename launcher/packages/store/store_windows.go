package store

import (
	"context"
	"errors"
	"time"
)

// errNone is why there is no store: its packages are installed in a sandbox.
var errNone = errors.New("packages are not installed on Windows, where no confinement holds a package manager")

// A Store is the folder of all packages of one user.
type Store struct{ Path string }

// A Stage is an install under way.
type Stage struct {
	Folder  string
	Waited  bool
	Outside []string
}

// Open fails, and so do all methods.
func Open(func(string) string) (*Store, error) { return nil, errNone }

// Close does nothing.
func (s *Store) Close() {}

// Find fails.
func (s *Store) Find(Wanted, time.Duration) (*Package, error) { return nil, errNone }

// Begin fails.
func (s *Store) Begin(context.Context, Wanted, func(string)) (*Stage, error) { return nil, errNone }

// List fails.
func (s *Store) List() ([]*Package, []error, error) { return nil, nil, errNone }

// Names are none.
func Names() ([]string, error) { return nil, errNone }

// Show fails.
func (s *Store) Show(string) ([]*Package, error) { return nil, errNone }

// Resolutions fails.
func (s *Store) Resolutions(string) ([]Resolution, error) { return nil, errNone }

// Remember fails.
func (s *Store) Remember(Resolution) error { return errNone }

// Forget fails.
func (s *Store) Forget(Resolution) error { return errNone }

// Prune fails.
func (s *Store) Prune(int64) (*Pruned, error) { return nil, errNone }

// Give fails.
func (g *Stage) Give(int, int) error { return errNone }

// Drop fails.
func (g *Stage) Drop(string) error { return errNone }

// Commit fails.
func (g *Stage) Commit(Package) (*Package, error) { return nil, errNone }

// Abort does nothing.
func (g *Stage) Abort() error { return nil }

// Check fails.
func (p *Package) Check() error { return errNone }

// Verify fails.
func (p *Package) Verify() ([]Difference, error) { return nil, errNone }

// Touch fails.
func (p *Package) Touch() error { return errNone }

// Remove fails.
func (p *Package) Remove() error { return errNone }
