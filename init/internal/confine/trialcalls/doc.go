// Package trialcalls makes single system calls, each once and in a throwaway process, to find the exact call that a
// machine refuses. The result only explains a refusal: a launch alone shows the reachable confinement.
package trialcalls
