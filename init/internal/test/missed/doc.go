// Package missed takes away each call of a launch that changes something, each row of the table, and each value that
// comes back, and demands that the comparison misses it. The package has tests only.
package missed
