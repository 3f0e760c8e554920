// Package why compares what is said of acts beforehand with attempts of the same acts in real launches. The package has
// tests only.
package why
