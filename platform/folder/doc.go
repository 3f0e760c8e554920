// Package folder opens folders of this user's in which others may have put anything, and what lies in them: by
// descriptor, one name after the other, and through no symbolic link that another user could change.
//
//	fd, err := folder.Walk("/home/ann/.local/state", true) // no other user can rename what lies in it
//	own, err := folder.Own(fd, "mcp-sandbox", true)        // which only this user may enter
//	text, err := folder.Read(own, "lock", 4096)
//
// Root is trusted, and an owner that the user namespace does not map, as the machine's root. os.Root does not do: it
// follows links inside its root. On Windows there is [Trusted] alone.
package folder

// An Unfit is why a folder or a file is not taken.
type Unfit string

func (u Unfit) Error() string { return string(u) }

// An Unmade is the error of a folder that is not there and cannot be made.
type Unmade struct{ Err error }

func (u *Unmade) Error() string { return "it cannot be made here: " + u.Err.Error() }

// Unwrap is the error of mkdir(2).
func (u *Unmade) Unwrap() error { return u.Err }

// A Foreign is the error of a folder on the way that another user owns.
type Foreign struct{ Unfit }

// Unwrap is the reason.
func (f *Foreign) Unwrap() error { return f.Unfit }
