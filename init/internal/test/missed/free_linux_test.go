package missed

import (
	"regexp"
	"sync"
)

// A freedom is what may have any value, with the reason.
type freedom struct {
	what func() *regexp.Regexp
	kind int
	why  string
}

const (
	asWhole = iota // no change of it is noticed, or the line would hide that it is compared
	inPart         // some are: if none is, a comparison was taken away
	either         // calls of different kinds
)

func whole(what, why string) freedom  { return freedom{expression(what), asWhole, why} }
func partly(what, why string) freedom { return freedom{expression(what), inPart, why} }
func mixed(what, why string) freedom  { return freedom{expression(what), either, why} }

// expression is compiled when somebody asks: each launch of this package starts the test's program anew, and a hundred of
// these would take it 4 ms.
func expression(what string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(" + what + ")$") })
}

var free = []freedom{
	// Results.
	mixed(`step .*`, "a call that moves the program along claims nothing; the runner itself ends at one that it demands"),
	mixed(`applies .* returns another number`, "a call that changes something has to succeed; the change is read back"),
	partly(`applies (close|mount|write|socket|sendto) returns nothing`, "a branch may lead around it; what follows from that is read back"),
	whole(`(descriptors (controllingTerminal|foreground)|network network) ioctl returns another number`, "what it stored is compared"),
	whole(`(descriptors subreaper|namespaces namespaces) prctl returns another number`, "what it stored is compared"),
	whole(`(namespaces namespaces|privileges dropIDs) getres[ug]id returns another number`, "what it stored is compared"),
	whole(`(frame|privileges (serverCapabilities|dropIDs)) capget returns another number`, "what it stored is compared"),
	whole(`limits limits prlimit64 returns another number`, "what it stored is compared"),
	whole(`root pivot statfs returns another number`, "what it stored is compared"),
	whole(`frame waitid returns another number`, "what it stored is compared"),
	whole(`network network (socket|sendto) returns another number`, "a descriptor, and a count; the answer is compared"),
	whole(`namespaces namespaces openat returns another number`, "a descriptor; what is read from it is compared"),
	whole(`(descriptors closeDescriptors|seccomp seccomp) openat returns (an error|another number)`, "what is read from the descriptor is compared"),
	whole(`landlock landlockRestrict faccessat2 returns (success|another error)`, "where the user may not write no refusal is claimed"),
	partly(`landlock landlockRestrict openat returns another error`, "of a write where the user may not write: that it was refused is compared"),
	whole(`landlock landlockRestrict openat returns another number`, "a descriptor's number: that it was opened is compared"),
	whole(`network socketFamilies socket returns another number|seccomp seccomp socket returns another number`, "a descriptor's number"),
	whole(`landlock landlockRestrict socket returns (an error|another number)`, "a descriptor; the bind is compared"),
	partly(`seccomp seccomp socket returns an error`, "of what the launcher made the inode is compared"),
	whole(`seccomp seccomp sendto returns (an error|another number)`, "the answer is compared"),
	partly(`network socketFamilies socket returns an error`, "before the filter, of a family that is refused behind it: a machine without IPv6"),
	partly(`seccomp seccomp ioctl returns another error`, "EPERM before: a filter outside refuses it as this one does, and the count of filters is the proof"),
	whole(`root allowedSockets socketpair returns another number`, "0; the connect of what it made is compared"),
	whole(`root allowedSockets socketpair stores another descriptor`, "the connect on it is compared"),
	whole(`descriptors reopenNull fcntl returns another number`, "how it was opened, as the argument of the next open"),
	whole(`seccomp traceMe getpid returns another number`, "the argument of the stop for which init waits"),
	whole(`root readOnlyProc faccessat returns (an error|another number)`, "a branch; the mount of /proc is compared"),
	whole(`root root statx of /dev/pts returns (an error|another number)`, "the host's, if it has one: the sandbox's has to be another"),
	partly(`the server's process id`, "the kernel said it by SCM_CREDENTIALS; nothing inside a pid namespace knows that number"),

	// What calls store.
	whole(`.* statx of .* stores another (mask|blksize|attributes|attributes_mask|nlink|uid|gid|blocks|times|mnt_id)`,
		"the inode says which file it is; these are the file's own"),
	whole(`(namespaces|cgroup|root|landlock|network|seccomp) .* statx of .* stores another rdev`, "no device but the host's own, whose inode counts"),
	whole(`descriptors stdio statx of an open file stores another size`, "what is in a pipe"),
	whole(`seccomp seccomp statx of an open file stores another (size|mode|dev_major|dev_minor)`, "a socket that the launcher made: the inode counts"),
	whole(`namespaces .* statx of a namespace stores another (size|mode|dev_major|dev_minor)`, "all namespaces lie on one file system; the inode counts"),
	partly(`namespaces .* statx of a namespace stores another ino`, "any but 0 and the shim's own"),
	whole(`network publishSockets ioctl returns another number`, "a descriptor; what statx says of it is compared"),
	whole(`network publishSockets statx of a private folder stores another (size|mode|dev_major|dev_minor)`,
		"all namespaces lie on one file system; the inode counts"),
	partly(`network publishSockets statx of a private folder stores another ino`, "any but 0 and the shim's own"),
	whole(`landlock landlockRuleset statx of a rule's place stores another (size|mode)`, "an inode's type does not change, and its size is the host's"),
	whole(`root root statx of (what is outside|/dev/pts) stores another .*`, "that it is there counts, or that its device is another's"),
	whole(`root readOnlyProc statx of /proc stores another (ino|size|mode)`, "the device is that of the mount"),
	whole(`root pivot statx of (/|/dev/pts|/proc) stores another (ino|size)|root pivot statx of / stores another mode`, "the device is that of the mount"),
	whole(`root pivot statx of a (bind|state|frozen cover) stores another (size|mode)`, "the host's own: which inode it is counts"),
	whole(`root pivot statx of a (pin|denial|folder|private folder) stores another size`, "what a folder holds changes; a file that covers cannot be opened"),
	whole(`root pivot statx of a (denial|file|folder|link|private folder) stores another ino`, "made for the sandbox: type, mode and device are compared"),
	partly(`root pivot statx of (/dev/pts|/proc|a file|a folder|a link|a pin|a private folder) stores another dev_minor`,
		"any of the file systems made for the sandbox"),
	partly(`root pivot statx of (/dev/pts|a link|a pin) stores another mode`, "the type counts: a link has no mode, a pin shows the host's"),
	partly(`root pivot statx of a pin stores another ino`, "of a folder that was made for what lies below it: type and device are compared"),
	whole(`root pivot statfs stores another (type|bfree|bavail|ffree|rest)`, "counters, and what mountinfo says"),
	partly(`(namespaces namespaces read|privileges (noUserNamespaces|fewWatchers) pread64|seccomp seccomp read) stores another blank`, "the kernel pads its columns"),
	whole(`seccomp seccomp read stores another line of the list`, "of /proc/thread-self/status the count of filters is asked for; other calls ask for the rest"),
	partly(`seccomp seccomp read returns another number`, "the end of the text, behind the count"),
	whole(`frame waitid stores another (signo|errno|pid|uid)`, "waitid was asked for this process alone; code and status say how it stopped"),
	whole(`descriptors closeDescriptors getdents64 stores another (d_ino|d_off|d_type|byte behind a name)`, "the names are the numbers of the descriptors"),
	partly(`descriptors closeDescriptors getdents64 stores another name of the folder itself`, "the second dot"),

	// The list of interfaces.
	whole(`network network ioctl stores another flags`, "IFF_UP counts"),
	whole(`network network recvfrom stores another (end of the list's|link's) (kind of message|port|sequence)`, "the kernel answers on a socket of its own"),
	whole(`network network recvfrom stores another link's (family|hardware|index|flags|other bits|change mask)`, "its name and IFF_UP count"),
	whole(`network network recvfrom stores another attribute of a link`, "its name and IFF_UP count"),
	partly(`network network recvfrom stores another attribute of a link's (length|type)`, "of one that is not looked at"),
	partly(`network network recvfrom stores another name of a link's length`, "the NUL behind the name"),

	// Allowed domains.
	partly(`network egressRoutes recvfrom returns (nothing|success)`, "a branch leads around IPv6's, and there are more parts of the list than are filled"),
	whole(`network egressRoutes recvfrom returns another error`, "there are more parts of the list than are filled"),
	whole(`network egressRoutes sendto returns another number`, "the answer is compared"),
	whole(`network egressRoutes recvfrom stores another (address's|end of the list's) (kind of message|port|sequence)`, "the kernel answers on a socket of its own"),
	whole(`network egressRoutes recvfrom stores another address's (family|prefix|flag bits|scope|index)`, "the address counts: lo is the one interface"),
	partly(`network egressRoutes recvfrom stores another name of an address`, "the interface's own and its peer's are one"),
	whole(`network egressRoutes recvfrom stores another attribute of an address`, "the address counts"),
	partly(`network egressRoutes recvfrom stores another (attribute|name) of an address's (length|type)`, "of one that is not looked at"),
	whole(`network egressRoutes recvfrom stores another answer's .*`, "an answer of this length has no error"),
	partly(`network egressSockets connect returns nothing`, "a branch leads around IPv6's"),
	whole(`network egressSockets connect returns another number`, "what was sent then is answered"),
	partly(`network egressSockets getsockname stores another port`, "of a socket that the kernel has chosen a port for"),

	// The table of mounts.
	whole(`another file system's options of .*`, "they are the file system's: of the private folders' statfs tells the size, and a lack of hidepid takes no fact"),
	whole(`another options of .* without relatime`, "how times of access are kept"),
	whole(`another options of (a bind|a pin) without rw`, "the host may have it read-only"),
	whole(`another (device|root|type) of (a bind|a state|a frozen cover|a pin)`, "the host's own: its inode is compared, which on some file systems has another device"),
	mixed(`another (device|root|type|path|options) of a mount of the host's.*|(absence of|a second) a mount of the host's`, "below a grant the host has its own, with the grant's flags at least"),
	partly(`absence of a bind|another path of a bind`, "inside another grant the host's own mount lies there with the same flags; the inode is compared"),
	partly(`a second (a bind|a pin)`, "inside a grant the host may have it, with the same flags; the inode is compared"),
	whole(`a second (a denial|a frozen cover)`, "the same"),
	partly(`a second (/|/proc|/proc/keys)|another (device|root|type) of /`, "with filesystem.default \"read\" the host's own, read-only: what lies on top is compared"),
}
