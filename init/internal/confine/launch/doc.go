// Package launch turns an order into a proved sandbox with a server that waits for its release.
//
//	l := launch.New(config)
//	sandbox, err := l.Start() // tries one confinement after another
//	sandbox.Release()         // the server executes
//
// An [Attempt] plans one confinement for this machine, starts the runner with the program of package layers, and
// compares the evidence. A [ladder.Ladder] chooses the next confinement where the machine refuses a step. The result is
// a [Sandbox].
//
// Nothing here changes the process that calls it, so several launches can run side by side in one process, each on a
// thread of its own that is locked: init's life hangs on the thread that started it. Without [Config].Process only
// confinement full can be reached; the weaker ones need the process to become the parent of orphans.
package launch
