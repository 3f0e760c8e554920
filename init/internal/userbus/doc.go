// Package userbus asks systemd's user manager for a scope: a control group that belongs to the user, for
// processes that are in none. org.freedesktop.systemd1(5)
//
//	err := userbus.StartScope(unix.Getuid(), []int{os.Getpid()}, time.Now().Add(5*time.Second))
//
// It speaks as much of the D-Bus protocol as that takes: five messages, written and read without reflection. To
// link a general client would cost every start of a launcher 0.14 ms (docs/performance.md), though hardly one
// uses it. The tests have such a client on the other side. Whatever an answer holds, nothing but an error
// follows from it.
package userbus
