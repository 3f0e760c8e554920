//go:build !linux

package platform

// isStraight is what Linux alone can be asked.
func isStraight(string) (bool, error) { return false, nil }
