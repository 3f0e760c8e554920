// Package lasting tests homes that last: what one launch leaves for the next, in each confinement. The package has
// tests only.
package lasting
