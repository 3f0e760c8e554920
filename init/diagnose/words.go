package diagnose

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// NeedsSockets is the remedy for a launch that may make no sockets.
const NeedsSockets = "let what the launcher runs in allow sockets: in a systemd unit, @network-io in " +
	"SystemCallFilter=; RestrictAddressFamilies=none takes the network away from all in the unit and lets the " +
	"launcher run"

// StartsOthers is the remedy for a command that works by starting others, where subprocess.allow is false.
const StartsOthers = "name the program that it starts, as node and the server's file, or set subprocess.allow to true"

// OtherIDs is the remedy for acts that the ids of the server may not do.
const OtherIDs = "the key user names others"

// AskDoctor is for a refusal without a hint.
const AskDoctor = "`mcp-sandbox doctor` tells what else it refuses, and what to do"

// inUnit lets Landlock and seccomp through a unit's filter. The set @sandbox is younger than systemd 252.
const inUnit = "landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp in SystemCallFilter=, or " +
	"@sandbox where systemd knows that set"

// Where a user of macOS or Windows gets confinement full.
const (
	inLinux = "Linux container or virtual machine"
	inWSL   = "Linux container or WSL2"
)

// Elsewhere is where a user of an operating system gets confinement full.
func Elsewhere(os string) string {
	if os == "windows" {
		return inWSL
	}
	return inLinux
}

// Unmount is the remedy where the file system that is mounted at a path does not answer.
func Unmount(at string, root bool) string {
	command := "umount -l " + text.Shell(at)
	if !root {
		command = "sudo " + command
	}
	return "`" + command + "`, or name another path"
}

// PrivateFolder is the remedy where there is no place for the private folder of a server with this user id.
func PrivateFolder(uid int) string {
	return "mount a tmpfs (in a Pod an emptyDir) on /tmp that user " + strconv.Itoa(uid) +
		" may write to, or set TMPDIR to a folder that this user alone may write to"
}

// LessConfinement adds to hints that the server starts with less confinement.
func LessConfinement(hints, confinement string) string {
	return or(hints, "let the server start with less confinement: minConfinement "+confinement)
}

// NotHeld adds to hints that a denial need not hold: this confinement will do.
func NotHeld(hints, confinement string) string {
	return or(hints, "write out that it need not hold: minConfinement "+confinement)
}

// AndThisOne stands in the error of a refused list of hosts between the reasons why stronger confinements were refused
// and the reason why the last one cannot hold the list.
const AndThisOne = "; and this one: "

// DomainsNotHeld is NotHeld for the domains that a policy opens.
func DomainsNotHeld(hints, confinement string) string {
	return or(hints, "take level network, which opens every host; or write out that the list need not hold: "+
		"minConfinement "+confinement)
}

// PublishNotHeld is NotHeld for the ports that a policy publishes.
func PublishNotHeld(hints, confinement string) string {
	return or(hints, "take level network, where each port of the server's is one of this machine, without publish; or "+
		"write out that publish need not hold: minConfinement "+confinement)
}

// or appends a way out.
func or(hints, way string) string {
	if hints == "" {
		return "or " + way
	}
	return hints + "; or " + way
}
