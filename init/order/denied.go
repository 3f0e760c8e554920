package order

import (
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// DeniedKind is the kind of an act that was refused while the server ran.
type DeniedKind string

// The kinds.
const (
	DeniedSyscall    DeniedKind = "syscall"     // a system call of the dangerous set
	DeniedLimit      DeniedKind = "limit"       // an act that a limit leaves no room for
	DeniedName       DeniedKind = "name"        // a name was looked up that no entry allows
	DeniedPort       DeniedKind = "port"        // a TCP port that no entry of the name opens
	DeniedAddress    DeniedKind = "address"     // an address that no allowed name has
	DeniedPrivate    DeniedKind = "private"     // an allowed name resolves to an address that is not public
	DeniedServerName DeniedKind = "server-name" // a TLS client asked for another name than the one that it looked up
	DeniedUDP        DeniedKind = "udp"         // a datagram: only TCP can be allowed
	DeniedUpstream   DeniedKind = "upstream"    // the host itself could not resolve or connect; no policy helps
	DeniedOpen       DeniedKind = "open"        // a file was opened; no launch tells of it, or the next two, yet
	DeniedExec       DeniedKind = "exec"        // a program was to be executed
	DeniedUnix       DeniedKind = "unix"        // a socket was connected to by its path
)

// An Act is a refused act, as far as it is known: two refusals of the same act are one line on standard error.
type Act struct {
	Kind    DeniedKind `json:"kind"`
	Syscall string     `json:"syscall,omitempty"`
	Host    string     `json:"host,omitempty"`
	Address string     `json:"address,omitempty"` // never a private one
	Port    uint16     `json:"port,omitempty"`
	Asked   string     `json:"asked,omitempty"` // the TLS server name; of kind name the one that was meant
	Path    string     `json:"path,omitempty"`  // of a file or a socket
}

// Suggest is the flag that allows an act, where only an entry is missing for it; "" where there is none. Only the
// launch knows of other obstacles.
func (a *Act) Suggest() string {
	switch a.Kind {
	case DeniedName:
		if a.Host == "localhost" { // an entry of this machine has a port
			return "--allow-domain localhost:PORT"
		}
		return allowDomain(a.Host)
	case DeniedPort:
		host := a.Host
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return allowDomain(host + ":" + strconv.Itoa(int(a.Port)))
	case DeniedPrivate:
		return "--allow-private"
	case DeniedSyscall:
		if StartsProgram(a.Syscall) {
			return "--subprocess"
		}
	case DeniedLimit:
		if a.Asked == "" { // else it is no limit of the policy's
			return "--pids"
		}
	}
	return ""
}

// allowDomain is the flag with an entry; "" for text that is no entry, or would open other names as well.
func allowDomain(entry string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]"
	if d, err := policy.ParseDomain(entry); err != nil || d.Below || strings.Trim(entry, letters) != "" {
		return ""
	}
	return "--allow-domain " + entry
}

// StartsProgram reports whether a call is one that subprocess.allow decides.
func StartsProgram(call string) bool {
	return call == "clone" || call == "fork" || call == "vfork" || call == "execveat"
}

// Denied is the record of an act that was refused while the server ran.
type Denied struct {
	Event string    `json:"event"`
	Time  time.Time `json:"time,omitzero"`
	Layer Layer     `json:"layer"`
	Act
	Flag  string `json:"flag,omitempty"`  // the flag that lets it; "" for none
	PID   int    `json:"pid,omitempty"`   // of the process, as the sandbox numbers it; 0: unknown
	Errno string `json:"errno,omitempty"` // "EPERM"; of the host's own failure where the kind is upstream
}

// A DeniedCount says how often one was refused in all.
type DeniedCount struct {
	Act
	Flag  string `json:"flag,omitempty"`  // as in the first record
	Errno string `json:"errno,omitempty"` // as in the first record
	Count int64  `json:"count"`
}

// An Egress is the traffic with one host by one port.
type Egress struct {
	Host        string `json:"host"` // the name, or the address of an entry that is one
	Port        uint16 `json:"port"`
	Connections int64  `json:"connections"`
	Sent        int64  `json:"sent"`     // bytes, of the server's
	Received    int64  `json:"received"` // bytes
}
