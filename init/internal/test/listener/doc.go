// Package listener tests what a user is told of the system calls that a sandbox refuses. It has tests only.
package listener
