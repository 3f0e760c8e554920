// Package tries makes single system calls, each once and in a process that is thrown away, to tell what exactly a
// machine refuses. What a launch as a whole comes to, a launch shows; this is for the reason.
package tries
