// Package listener tests what a user is told of the system calls that a sandbox refuses. It has no code of its own.
package listener
