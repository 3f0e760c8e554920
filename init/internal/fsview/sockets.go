package fsview

// Sockets is what a root shows of the host's UNIX domain sockets. A mount does not keep anybody from connecting to one:
// where Landlock does not either, the bound ones are covered, or the server may have no socket of the family.
type Sockets struct {
	Grant    string // a folder because of which the server may have none; "" if there is none
	Why      string // what is wrong with that folder
	Unlisted error  // why it is unknown which sockets are bound: none is covered then
}
