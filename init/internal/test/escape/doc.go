// Package escape is an adversary inside a sandbox, of confinement full and of reduced, in tests only. Each row of its table is one act of
// testdata/escape, what must come of it inside, and a positive control outside: the same act where nothing forbids it.
// It goes on where the denials of package supervise's own tests end.
package escape
