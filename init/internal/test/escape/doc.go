// Package escape is an adversary inside a sandbox, of confinement full and of reduced, in tests only. Each row of its
// table is one act of the adversary, what must come of it inside, and a positive control outside: the same act where
// nothing forbids it. It goes on where the denials of package shim's own tests end. The adversary is a copy of
// the test binary.
package escape
