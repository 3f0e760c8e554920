// Package pipeline makes the order of a launch from a command line: words, start, package, profile, policy, order. Each
// stage gets the values of those before it, and changes none of them; the order is made once, and last.
//
//	s := line.Start(command)                // the package that the command starts, if it starts one
//	d, why := line.Decide(s, nil)           // the policy; mistakes are told here, before an install
//	ready, note, err := line.Prepare(s, d)  // nil: the command runs as it is
//	d, why = line.DecideOwner(s, d, ready)  // of several packages the owner's profile is known now
//	o := line.Order(s, d, ready)
package pipeline
