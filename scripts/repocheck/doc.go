// Package repocheck holds the tests of the repository itself: where things are, how large they are, what imports what and
// what each package says of itself.
//
//	go test ./scripts/repocheck
//
// It looks at the text of the sources of every operating system, so nothing hides behind a build constraint.
package repocheck
