package files

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// because says in words why the server may do something.
func (l *Launch) because(c fsview.Cause) string {
	switch c.Kind {
	case fsview.ByRule:
		return "granted at " + c.By
	case fsview.ByPackage:
		return "it is of the package of this launch"
	case fsview.ByStage:
		return "the package is installed there"
	case fsview.ByImplied:
		return "the command needs " + c.At
	}
	if c.At == "" {
		return "every server can"
	}
	return "every server has " + c.At
}

// unseen says in words why the server does not come to the host's object.
func (l *Launch) unseen(s *fsview.Spot, leads string) string {
	switch c := s.Reading; {
	case c.Kind == fsview.ByRule && s.Sight != order.SeesGenerated:
		return leads + " is denied at " + c.By
	case c.Kind == fsview.ByOurs:
		return leads + " is of mcp-sandbox itself, which no server sees"
	case c.Kind == fsview.ByChannel:
		return leads + " is a socket or a pipe of another program, which is covered in every grant"
	}
	switch s.Sight {
	case order.SeesGenerated:
		if s.Certificates() {
			return leads + " is shown with its certificates alone: a variable names it"
		}
		return leads + " is not the host's for the server: it is made for each server"
	case order.SeesPrivate:
		return leads + " is not the host's for the server, which has a private folder of its own at " + s.Reading.At
	case order.SeesHost:
		return leads + " is there for the server, and cannot be opened: no grant covers it"
	case order.SeesEmpty:
		return leads + " is empty for every server"
	}
	return leads + " is not there for the server: no grant covers it"
}

// readOnly says in words why the server may not write a path that it reads.
func (l *Launch) readOnly(s *fsview.Spot, leads string) string {
	switch c := s.Writing; c.Kind {
	case fsview.ByRule:
		return leads + " is read-only by " + c.By
	case fsview.ByProtected:
		if c.Why != "" {
			return leads + " is read-only, with all of " + c.At + ": " + c.Why
		}
		text := leads + " is protected: others of your programs execute or trust it"
		if c.At != s.Path {
			text = leads + " is protected with " + c.At + ": others of your programs execute or trust what lies there"
		}
		return text
	case fsview.ByLevel:
		return leads + " is read-only: level strict writes nothing"
	}
	switch c := s.Reading; c.Kind {
	case fsview.ByRule:
		return leads + " is granted at " + c.By + " for reading only"
	case fsview.ByPackage:
		return leads + " is read-only: it is of the package of this launch, which no server writes"
	case fsview.ByImplied:
		return leads + " is read-only: the command needs it, and does not write it"
	}
	return leads + " is read-only: every server reads it, and none writes it"
}
