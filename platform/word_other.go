//go:build !linux

package platform

// IsUsers is true: these systems do not show the environment of the process that started this one.
func IsUsers(_, _ string) bool { return true }

// EnvironmentIsUsers has all variables count as the user's, as they do here anyway.
func EnvironmentIsUsers() {}

// UserHome is the value of HOME.
func UserHome(variable string) string { return variable }
