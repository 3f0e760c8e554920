package signals

import "golang.org/x/sys/unix"

// Ignore makes signals do nothing from now on.
func Ignore(list ...unix.Signal) error {
	for _, s := range list {
		if err := sigaction(s, &action{handler: ignored}, nil); err != nil {
			return err
		}
	}
	return nil
}

// Without does something while signals do nothing, and leaves them as they were.
func Without(do func() error, list ...unix.Signal) error { return during(ignored, do, list) }

// ByDefault does something while signals do what they do to a program that says nothing of them.
func ByDefault(do func() error, list ...unix.Signal) error { return during(0, do, list) }

func during(handler uintptr, do func() error, list []unix.Signal) error {
	for _, s := range list {
		var old action
		if err := sigaction(s, &action{handler: handler}, &old); err != nil {
			return err
		}
		defer sigaction(s, &old, nil)
	}
	return do()
}
