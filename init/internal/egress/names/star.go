package names

import "time"

// A name below a star is chosen by the server, and each that is looked up tells the owner of the zone as many bytes. So
// the new ones are counted: a burst is enough for a client of many shards at its start.
const (
	burst = 100
	every = time.Second
)

// A bucket is the new names that one star may still have.
type bucket struct {
	left    int
	at      time.Time // up to which left was counted
	refused uint64
}

// Star reports whether another name that the entry star alone allows may be looked up, and counts it: 100 at once, and
// one more each second. It is asked before each lookup of a name that is not [Table.Known]. The table keeps each star
// that it was asked of, so they are the policy's entries and nothing that the server writes.
func (t *Table) Star(star string, now time.Time) bool {
	b := t.stars[star]
	if b == nil {
		b = &bucket{left: burst, at: now}
		t.stars[star] = b
	}
	if n := now.Sub(b.at) / every; n >= time.Duration(burst-b.left) {
		b.left, b.at = burst, now
	} else if n > 0 {
		b.left += int(n)
		b.at = b.at.Add(n * every)
	}
	if b.left == 0 {
		b.refused++
		return false
	}
	b.left--
	return true
}

// Refused is how many times [Table.Star] said no of an entry.
func (t *Table) Refused(star string) uint64 {
	if b := t.stars[star]; b != nil {
		return b.refused
	}
	return 0
}
