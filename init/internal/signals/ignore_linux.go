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
func Without(do func() error, list ...unix.Signal) error {
	old := make([]action, len(list))
	for i, s := range list {
		if err := sigaction(s, &action{handler: ignored}, &old[i]); err != nil {
			return err
		}
		defer sigaction(s, &old[i], nil)
	}
	return do()
}
