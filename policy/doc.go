// Package policy is what a server may do: the policy of version 1, as data.
//
//	p, err := policy.Parse(doc)                    // or a policy.Policy literal and p.Validate()
//	p, err = p.Absolute(folder, home)              // paths as the launcher means them
//	p = p.Effective(policy.Library)                // with the level's defaults
//	env, dropped := p.Environ(os.Environ())
//
// The zero [Policy] grants nothing, is valid, and means level standard. Weakening keys have to be named: an
// unknown or repeated key, or one in the wrong case, is an error, never passed over, and each error has its
// place, as a JSON pointer.
//
// Nothing here makes a system call, looks at the machine or knows whether a path exists; whether a machine can hold a
// policy is told by the report of a launch.
//
// Paths are those of Linux and macOS. On Windows, where no file is granted or denied yet, a path with a drive
// letter or two leading backslashes counts as absolute and is left as it is, and a document
// names a variable twice only in the same case of letters; [Policy.Environ] tells no cases apart there.
//
// Every start of the shim loads the package, so package policy links neither encoding/json nor fmt, regexp
// or net, and has nothing of its own to initialise; net/netip makes three values, in 20 µs. The JSON Schema is in
// package policy/schema for the same reason.
package policy
