// Package hosts answers questions about hosts, system calls and variables, without a look at the machine.
//
//	answer := hosts.Host(&p, "db.example.com", 5432)
//	if answer.Allowed == order.ActDenied && answer.Patch != nil {
//		patch, document, err := hosts.Fit(document, answer.Patch)
//	}
//
// The policy is the one of FILE and flags, before its defaults are filled in or after. Nothing here decides: [Host]
// asks the matcher of the hosts, [Syscall] the program of the filter, [Variable] the maker of the server's environment.
// A change that an answer suggests was made to a copy of the policy, which was valid, and asked again.
package hosts
