// Package diagnose says what a refusal means: whether the machine is its cause, so that a weaker confinement is tried,
// whether it lasts, so that a host may remember it, and in words what to do about it.
//
// The shims of all systems and doctor use it. All words about remedies are here.
package diagnose
