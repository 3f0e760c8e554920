// Package trialcalls makes single system calls, each once and in a process that is thrown away, to tell what exactly a
// machine refuses. It is for the reason alone: what a launch comes to only a launch shows.
package trialcalls
