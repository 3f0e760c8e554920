package signals

import "golang.org/x/sys/unix"

// Ignore ignores a signal from now on.
func Ignore(s unix.Signal) error { return sigaction(s, &action{handler: ignored}, nil) }

// Without calls a function while signals are ignored, and restores their actions.
func Without(do func() error, list ...unix.Signal) error { return during(ignored, do, list) }

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
