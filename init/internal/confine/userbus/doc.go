// Package userbus asks systemd's user manager for a scope: a control group that belongs to the user, for
// processes that are in none. org.freedesktop.systemd1(5)
//
//	err := userbus.StartScope(unix.Getuid(), []int{os.Getpid()}, time.Now().Add(5*time.Second))
//
// The package has five messages of the D-Bus protocol, written and read without reflection. To link a general
// client would cost every start of a launcher 0.14 ms (docs/performance.md), though few launchers use the
// bus. The tests have such a client on the other side. Any answer leads to success or an error, nothing else.
package userbus
