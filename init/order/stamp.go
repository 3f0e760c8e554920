package order

import (
	"math/rand/v2"
	"time"
)

// A Line is a record of a report, which says when it was written and to which launch it belongs.
type Line interface {
	Record
	// Stamp sets both. A record between the first and the last has the time alone.
	Stamp(at time.Time, id string)
}

// Stamp sets the first line's time and launch.
func (e *Enforced) Stamp(at time.Time, id string) { e.Time, e.ID = at, id }

// Stamp sets the only line's time and launch.
func (r *Refused) Stamp(at time.Time, id string) { r.Time, r.ID = at, id }

// Stamp sets the time of a line in between.
func (d *Denied) Stamp(at time.Time, _ string) { d.Time = at }

// Stamp sets the last line's time and launch.
func (x *Exited) Stamp(at time.Time, id string) { x.Time, x.ID = at, id }

// NewID is the id of one launch: 128 random bits in hexadecimal digits. An id tells launches apart and is no secret.
func NewID() string {
	id := make([]byte, 0, 16)
	for range 2 {
		for n, i := rand.Uint64(), 0; i < 8; i++ {
			id = append(id, byte(n>>(8*i)))
		}
	}
	return Hex(id)
}
