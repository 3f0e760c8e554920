// Package egress lets a server reach the hosts that its policy names, and nothing else.
//
// In the server's network namespace every address is local, so each connection of the server's arrives at a socket that
// init opened there and handed over. An [Engine] serves these sockets from outside: it answers the server's look-ups of
// names in the policy, and joins the server's connections with connections of the host's own. All of it is work in one
// loop.
//
//	engine, err := egress.New(egress.Config{Sockets: sockets, Network: policy.Network, Tally: &tally})
//	engine.Register(&loop)
//	engine.Begin() // all is proved: refusals are reported from here on, and the server is released
//	...
//	counts := engine.Counts()
//	engine.Close()
//
// A [Publisher] is the other way: the host reaches ports of the server. It works with an Engine beside it and without.
//
// The parts: match decides by the policy, resolve and addresses which addresses a name has, names which of them the
// server gets, dns and hello read the server's bytes, tap reads the kernel's refusals, dial and relay carry.
package egress
