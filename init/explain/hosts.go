package explain

import (
	_ "embed"
	"net/netip"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/addresses"
	"github.com/security-mcp/mcp-sandbox/policy"
)

//go:embed relays.txt
var relayTable string

// tellHosts tells of allowedDomains.
func tellHosts(t *teller) {
	if len(t.p.Network.AllowedDomains) == 0 && !t.hostNetwork() {
		t.byDefault(false, Safe, "/network/allowedDomains", "has no network: reaches no host, localhost neither")
	}
	for i, entry := range t.p.Network.AllowedDomains {
		pointer := item("/network/allowedDomains", i)
		d, err := policy.ParseDomain(entry)
		switch {
		case err != nil: // of no valid policy
		case isClosed(t, d):
			t.say(Safe, pointer, "cannot reach "+hostName(d, "")+": deniedDomains has it too")
		case d.Address:
			tellAddress(t, pointer, d)
		case d.Host == "localhost":
			tellLocalPort(t, pointer, d)
		default:
			tellHost(t, pointer, d)
		}
	}
}

// hostName is an entry's host and port in a sentence; without a port the entry is about the ports of every.
func hostName(d policy.Domain, every string) string {
	name := short(d.Host)
	if d.Below {
		name = "every name below " + name
	}
	if d.Port != 0 {
		return name + " on port " + strconv.Itoa(int(d.Port))
	}
	return name + every
}

const webPorts = " on ports 80 and 443"

// isClosed reports whether denials close all that an entry opens.
func isClosed(t *teller, d policy.Domain) bool {
	name := d.Host
	if d.Below {
		name = "*." + name
	}
	for _, port := range t.opened[name] {
		if port == d.Port || d.Port == 0 && (port == 80 || port == 443) {
			return false
		}
	}
	return true
}

func tellHost(t *teller, pointer string, d policy.Domain) {
	text := "can reach " + hostName(d, webPorts)
	drops, accounts := relaysOf(t, d)
	v, why := listens(d.Port)
	switch shared := Shared(d); {
	case len(drops) > 0:
		t.say(Dangerous, pointer, text+": made for leaving there what anybody can fetch"+like(drops, d))
	case v == Dangerous:
		t.say(v, pointer, text+why)
	case shared != "":
		t.say(Wide, pointer, text+": "+shared)
	case len(accounts) > 0:
		t.say(Wide, pointer, text+": can leave what it knows to the strangers who have accounts there"+
			like(accounts, d))
	default:
		t.say(v, pointer, text+why)
	}
}

// listens is the verdict on a port of another machine, by the service that listens there, and the reason.
func listens(port uint16) (v Verdict, why string) {
	switch port {
	case 2375, 2376:
		return Dangerous, ": Docker's port, and who can connect to Docker is root of that machine"
	case 25, 465, 587:
		return Wide, ": can send mail to anybody"
	}
	return Note, ""
}

// like names the hosts that a star stands for.
func like(names []string, d policy.Domain) string {
	if !d.Below {
		return ""
	}
	return " (" + some(names) + ")"
}

// Shared says of an entry that any person can register names that it opens; "" of other entries.
func Shared(d policy.Domain) string {
	if !d.Below || !policy.SharedSuffix(d.Host) {
		return ""
	}
	return "anybody can have a name below " + d.Host + ": name the one that is meant"
}

// relaysOf are the hosts of the table that an entry opens, of each kind.
func relaysOf(t *teller, d policy.Domain) (drops, accounts []string) {
	if t.relays == nil {
		for kind, name := range table(relayTable) {
			t.relays = append(t.relays, [2]string{kind, name})
		}
	}
	for _, relay := range t.relays {
		kind := relay[0]
		name, any := strings.CutPrefix(relay[1], ".")
		switch inside := func(host, top string) bool { return strings.HasSuffix(host, "."+top) }; {
		case !d.Below && d.Host == name:
		case any && (d.Host == name || inside(d.Host, name)):
		case d.Below && inside(name, d.Host) && (any || len(t.rules.PortsOf(name)) > 0):
		default:
			continue
		}
		if kind == "drop" {
			drops = append(drops, name)
		} else {
			accounts = append(accounts, name)
		}
	}
	return drops, accounts
}

func tellAddress(t *teller, pointer string, d policy.Domain) {
	a, err := netip.ParseAddr(d.Host)
	text := "can reach the address " + hostName(d, webPorts)
	if err == nil && addresses.ClassOf(a, func(netip.Addr) bool { return false }) == addresses.Private {
		text += ", which is one of your local network"
	}
	v, why := listens(d.Port)
	t.say(v, pointer, text+why)
}

func tellLocalPort(t *teller, pointer string, d policy.Domain) {
	text := "can reach the program of this machine that listens on localhost port " + strconv.Itoa(int(d.Port))
	switch d.Port {
	case 2375, 2376:
		t.say(Dangerous, pointer, text+": Docker's, and who can connect to Docker is root of this machine")
	case 9222, 9229:
		t.say(Dangerous, pointer, text+": a debugger's, and who can connect to one has the program's rights")
	default:
		t.say(Note, pointer, text)
	}
}

// tellHostChecks tells of allowPrivate and checkServerName.
func tellHostChecks(t *teller) {
	n := &t.given.Network
	idle := ", once there are allowedDomains"
	if t.hostNetwork() {
		idle = ", as to every other address: the level has the whole network"
	}
	none := len(n.AllowedDomains) == 0
	switch {
	case n.AllowPrivate && none:
		t.say(Safe, "/network/allowPrivate", "can be led to your local network by names"+idle)
	case n.AllowPrivate:
		t.say(Wide, "/network/allowPrivate", "can be led to your local network: the owner of an allowed name "+
			"chooses its address")
	}
	switch {
	case n.CheckServerName == policy.Yes:
		t.say(Safe, "/network/checkServerName", "can ask, on port 443, for allowed names alone (TLS server name)")
	case n.CheckServerName == policy.No && none:
		t.say(Safe, "/network/checkServerName", "can ask, on port 443, for any name"+idle)
	case n.CheckServerName == policy.No:
		t.say(Wide, "/network/checkServerName", "can reach, on port 443, other sites at the address of an allowed "+
			"host: the TLS server name is not checked")
	}
}
