// Package diagnose interprets a refusal: whether the machine is its cause, so that a weaker confinement is tried,
// whether it lasts, so that a host may remember it, and in words the remedy.
//
// The shims of all systems and doctor use it. All words about remedies are here.
package diagnose
