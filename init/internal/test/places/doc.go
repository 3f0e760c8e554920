// Package places tests the launcher and its doctor in containers, chroots and other sandboxes, and on machines
// that forbid one thing. docs/deployment.md has the result for each. The package has tests only.
package places
