// Package listener tests the messages to the user about refused system calls, and has tests only.
package listener
