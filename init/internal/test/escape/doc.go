// Package escape is an adversary inside a sandbox, of confinement full and of reduced, in tests only. Each row of its
// table is one act of the adversary, the demanded result inside, and a positive control outside: the same act where
// nothing forbids the act. The table continues the denials of package shim's own tests. The adversary is a copy of
// the test binary.
package escape
