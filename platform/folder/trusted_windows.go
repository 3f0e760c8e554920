package folder

import "os"

// Trusted is the path: what lies below a user's profile is that user's.
func Trusted(at string, create bool) (string, error) {
	if create {
		return at, os.MkdirAll(at, 0o700)
	}
	return at, nil
}

// TrustedFile is nil: who may change a file is a matter of its access list here.
func TrustedFile(string) error { return nil }
