package launch

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/tally"
	"golang.org/x/sys/unix"
)

// Told is what a [Parent] has told, over a socket that init and the server's process have too: the kernel says which of
// them a message is from.
type Told struct {
	PID, UID, GID int // as the kernel tells with the first message
	FD            int // a pidfd, until [LetGo]; -1: none

	Packets

	socket                              int
	signals                             []unix.Signal // that the parent got, and that nothing has taken yet
	cloned, reaped, laid, leaves, ended bool
}

// Packets are those of the sockets that the parent was given.
type Packets struct {
	Packet func([]byte) // gets each
	Later  func()       // calls Listen in a while; nil: after each packet at once

	atOnce tally.Bucket // that are answered at once
}

// Streams waits by await for the parent's first message, which carries its standard input, output and error.
func (p *Told) Streams(await func(fd int) error) (fds [3]int, err error) {
	if err = await(p.socket); err != nil {
		return fds, err
	}
	m, err := readMessage(p.socket)
	if err == nil {
		p.PID, p.UID, p.GID = m.pid, m.uid, m.gid
		p.FD, err = unix.PidfdOpen(p.PID, 0)
	}
	if err == nil && (m.text != layers.MsgStreams || len(m.carried) != len(fds)) {
		err = errors.New("the parent's first message is another than its streams")
	}
	if err != nil {
		closeAll(m.carried)
		return fds, err
	}
	return [3]int(m.carried), nil
}

// tell sends the parent a message.
func (p *Told) tell(what int, value uint64, carried ...int) error {
	var rights []byte
	if len(carried) > 0 {
		rights = unix.UnixRights(carried...)
	}
	return unix.Sendmsg(p.socket, layers.ParentMessage(what, value), rights, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
}

// Exit ends the parent with a status.
func (p *Told) Exit(status int) { _ = p.tell(layers.ParentExits, uint64(status)) }

// Lay starts the runner of a repair, which gets these descriptors from number 3 on. Laid tells of its end.
func (p *Told) Lay(files [2]int) error {
	p.laid = false
	return p.tell(layers.ParentLays, 0, files[:]...)
}

// Laid reports, once, whether a runner that was started by Lay has ended.
func (p *Told) Laid() bool {
	laid := p.laid
	p.laid = false
	return laid
}

// take takes a message, if it is the parent's.
func (p *Told) take(m *message) (mine bool) {
	if m.pid != p.PID {
		return false
	}
	closeAll(m.carried)
	switch {
	case m.text == layers.MsgCloned:
		p.cloned = true
	case m.text == layers.MsgLeaves:
		p.leaves = true
	case m.text == layers.MsgLaid:
		p.laid = true
	case m.text == layers.MsgEnded:
		p.reaped = true
	case strings.HasPrefix(m.text, layers.MsgPacket) && p.Packet != nil:
		p.Packet([]byte(m.text[len(layers.MsgPacket):]))
		if p.Later == nil || p.atOnce.Take(time.Now(), packetInterval, packetsAtOnce) {
			p.Listen()
		} else {
			p.Later()
		}
	case strings.HasPrefix(m.text, layers.MsgRest) && p.Packet != nil:
		p.Packet([]byte(m.text[len(layers.MsgRest):]))
	case len(m.text) == 4 && m.text[0]-1 < 64 && m.text[1:] == "\x00\x00\x00" && len(p.signals) < mostSignals:
		p.signals = append(p.signals, unix.Signal(m.text[0]))
	}
	return true
}

// The parent reads packets as fast as they come while there are few: a server that sends without end takes no more of
// this process's time.
const (
	packetsAtOnce  = 1000
	packetInterval = 2 * time.Millisecond
)

// Listen has the parent read the next packet. Where that fails the parent has ended.
func (p *Told) Listen() { _ = p.tell(layers.ParentListens, 0) }

// mostSignals wait at most. The kernel keeps one of each too.
const mostSignals = 256

// TakeFirst is the first signal of some that the parent got, which is forgotten; 0: there is none.
func (p *Told) TakeFirst(of func(unix.Signal) bool) (sig unix.Signal) {
	if i := slices.IndexFunc(p.signals, of); i >= 0 {
		sig = p.signals[i]
		p.signals = slices.Delete(p.signals, i, i+1)
	}
	return sig
}
