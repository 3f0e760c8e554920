// Package asked compares answers about system calls and variables with what becomes of both in whole launches, and has
// tests only. Those about hosts are compared in the world of package egress.
package asked
