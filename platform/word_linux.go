package platform

// This file: which variables are the word of this process's user. Whoever starts a program chooses its environment, and
// a client takes a part of that from a file which may be a stranger's.

import (
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// MaxEnviron is more than the arguments or the environment of most processes; execve(2).
const MaxEnviron = 1 << 20

// Environ is the environment with which a process was started, NAME=VALUE; proc_pid_environ(5). That of a process of
// another user, or of one that is not dumpable, cannot be read.
func Environ(pid int) ([]string, error) {
	b, err := ReadSmall("/proc/"+strconv.Itoa(pid)+"/environ", MaxEnviron)
	if err != nil {
		return nil, err
	}
	return strings.Split(string(b), "\x00"), nil
}

// environment says for which reason variables of this process count without a look at its parent's.
var environment struct{ handed, users bool }

// EnvironmentIsHanded says that the program which started this one is this product too, and handed on no variable that
// is to be its user's word and is not.
func EnvironmentIsHanded() { environment.handed = true }

// EnvironmentIsUsers has all variables count as the user's, HOME too: tests keep what lasts in folders of their own. No
// program calls it; scripts/repocheck looks.
func EnvironmentIsUsers() { environment.users = true }

// IsUsers reports whether a variable of this process is its user's word: the process that started this one was itself
// started with the same value. Where that process cannot be seen, as in a container whose first process this is, the
// environment is that of whoever runs the container, and counts.
func IsUsers(name, value string) bool {
	return environment.handed || environment.users || parentHas()(name+"="+value)
}

// parentHas reports of NAME=VALUE whether the parent was started with that. The parent is looked at once: when it ends,
// another process becomes the parent.
var parentHas = sync.OnceValue(func() func(string) bool {
	parent := unix.Getppid()
	if parent == 0 {
		return func(string) bool { return true }
	}
	all, err := Environ(parent)
	if err != nil || unix.Getppid() != parent { // it ended, and its number may be another's by now
		return func(string) bool { return false }
	}
	return func(variable string) bool { return slices.Contains(all, variable) }
})

// UserHome is the home folder of this process's user: passwd(5)'s, or where no line there has one the value of HOME, if
// that is a folder of this user's into which no other user can write. It is "" where there is none.
func UserHome(variable string) string {
	if environment.users {
		return variable
	}
	if home := passwdHome(); home != "" {
		return home
	}
	if ownHome(variable) {
		return variable
	}
	return ""
}

// ownHome reports whether a path is a folder of this user's into which no other user can write. A group that has the
// number of this user is the user's own, as Debian, Fedora and others make one for each.
func ownHome(at string) bool {
	var st unix.Stat_t
	if !isHome(at) || unix.Stat(at, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return false
	}
	others := st.Mode & 0o022
	if st.Gid == st.Uid {
		others &^= 0o020
	}
	return int(st.Uid) == os.Geteuid() && others == 0
}

// passwdHome is the first home of passwd(5) for this user; "" for none.
var passwdHome = sync.OnceValue(func() string {
	const most = 4 << 20
	b, _ := ReadSmall("/etc/passwd", most) // no home if it cannot be read
	homes := HomesOf(string(b), os.Geteuid())
	if len(homes) == 0 || !isHome(homes[0]) {
		return ""
	}
	return homes[0]
})

// isHome is false for what no user's home is: a path that is not absolute, and the root of all files.
func isHome(at string) bool { return strings.HasPrefix(at, "/") && path.Clean(at) != "/" }
