// Package layers is the confinement as a table: the calls that apply each step, in their order, and the proof of each.
//
//	l := layers.NewLayout(mem, &policy, policy.Full, false) // the part before the namespaces: the runner can start
//	l.Begin(request)                                      // what needs no view; init makes these calls meanwhile
//	err := l.Complete(request)                            // the rest, with the view
//	layers, refusal := l.Check(evidence)                  // when the server's process is ready, before its release
//
// The rows of [firstRows], [initRows] and [serverRows] are the only statement of the order. A row lays out the calls
// that apply it and the calls that read it back, and leaves a proof: the comparison of their results with the request.
// A row without a proof refuses the launch; a protection that the machine lacks is a fact without a value. A row makes
// no call, but writes calls into a program.
//
// A file is named for the layer of its rows; root_denied has all that concerns denied paths. Layout, frame and initloop
// are the calls around the rows, and proof compares.
package layers
