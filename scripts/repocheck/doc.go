// Package repocheck holds the tests of the repository itself: where things are, how large they are, what imports
// what, what each package says of itself, and whether what the documents name is there.
//
//	go test ./scripts/repocheck
//
// It looks at the text of the sources of every operating system, so nothing hides behind a build constraint.
package repocheck
