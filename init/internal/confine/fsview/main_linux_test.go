package fsview

import (
	"os"
	"testing"
)

// What is private inside is part of what the tests expect, so the trees lie below /tmp.
func TestMain(m *testing.M) {
	if err := os.Setenv("TMPDIR", "/tmp"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// Plan is the view alone.
func Plan(r Request) (*View, error) {
	e, err := Explain(r)
	if err != nil {
		return nil, err
	}
	return e.View, nil
}
