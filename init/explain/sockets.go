package explain

import (
	"path"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// tellSockets tells of allowUnixSockets.
func tellSockets(t *teller) {
	for i, entry := range t.p.Network.AllowUnixSockets {
		pointer, at := item("/network/allowUnixSockets", i), strings.TrimPrefix(entry, "-")
		switch program := policy.DaemonOf(at); {
		case t.open():
			t.noEffect(pointer)
		case at == policy.AgentSocket || isAgent(at):
			t.say(Dangerous, pointer, "can log in as you: your ssh-agent signs with every key whatever it is asked to")
		case program != "":
			t.say(Dangerous, pointer, "can connect to "+t.tilde(at)+": the server gets the rights of "+program+
				", which are not confined")
		default:
			t.say(Wide, pointer, "can connect to "+t.tilde(at)+": the program there does what it is asked, and is "+
				"not confined")
		}
	}
}

// isAgent reports whether a socket is called as the sockets of agents are, which sign with keys that they never show.
func isAgent(at string) bool {
	name, folder := path.Base(at), path.Base(path.Dir(at))
	switch {
	case strings.HasPrefix(folder, "ssh-") && strings.HasPrefix(name, "agent."),
		strings.HasPrefix(name, "S.gpg-agent"), name == "agent.sock", name == "ssh-agent.socket", name == "ssh-agent":
		return true
	}
	return (folder == "keyring" || folder == "gcr") && name == "ssh"
}

// tellPublished tells of the ports that the host reaches.
func tellPublished(t *teller) {
	for i, entry := range t.p.Network.Publish {
		pointer := item("/network/publish", i)
		p, err := policy.ParsePublish(entry)
		if err != nil {
			continue
		}
		text := "is reached at " + p.Outside() + " (its port " + strconv.Itoa(int(p.Port)) + ")"
		switch {
		case p.Address.IsLoopback():
			t.say(Note, pointer, text+" by every program and every user of this machine")
		case p.Address.IsUnspecified():
			t.say(Wide, pointer, text+" by every machine that reaches this one")
		default:
			t.say(Wide, pointer, text+" by every machine that reaches this address")
		}
	}
}
