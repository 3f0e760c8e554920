package policy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// plain is the slot of a string that passes a check.
func plain[T ~string](at *T, valid func(string) error) slot {
	return scalar[T]{at: at, kind: strictjson.String,
		read: func(s string) (T, error) { return T(s), valid(s) },
		text: func(v T) string { return string(v) }}
}

// word is the slot of one of a few words, which stand in a string with spaces between.
func word[T ~string](at *T, words string) slot {
	return plain(at, func(s string) error {
		if slices.Contains(strings.Split(words, " "), s) {
			return nil
		}
		return invalid(s, "is none of: "+words+otherScale(s))
	})
}

// The words of the two keys that people take for one.
const (
	levels       = "strict standard network privileged"
	confinements = "full reduced limits none"
)

// otherScale names the key to which a word belongs that stands at the other.
func otherScale(s string) string {
	switch {
	case slices.Contains(strings.Split(levels, " "), s):
		return " (it is a word of level)"
	case slices.Contains(strings.Split(confinements, " "), s):
		return " (it is a word of minConfinement)"
	}
	return ""
}

// A number is a limit that knows its own syntax.
type number interface {
	UnmarshalText([]byte) error
	String() string
}

// amount is the slot of a limit, or of the word unlimited. In a document it is of that kind, or of the other.
func amount[T ~int64, N interface {
	*T
	number
}](at N, kind, other strictjson.Kind) scalar[T] {
	return scalar[T]{at: (*T)(at), kind: kind, other: other,
		read: func(s string) (v T, err error) {
			err = N(&v).UnmarshalText([]byte(s))
			return v, err
		},
		text: func(v T) string { return N(&v).String() }}
}

// size is the slot of a Quantity, or of the word unlimited. Below least no server could run; 0: any will do.
func size(at *Quantity, least Quantity) scalar[Quantity] {
	return notBelow(amount(at, strictjson.String, 0), least)
}

// count is the slot of a Count, or of the word unlimited.
func count(at *Count, least Count) scalar[Count] {
	return notBelow(amount(at, strictjson.Number, 0), least)
}

// notBelow makes a limit an error with which no server could run.
func notBelow[T interface {
	~int64
	String() string
}](s scalar[T], least T) scalar[T] {
	any := s.read
	s.read = func(text string) (T, error) {
		limit, err := any(text)
		if err == nil && limit > 0 && limit < least {
			why := "is below " + least.String() + ", the least that it can be"
			if s.kind == strictjson.String {
				why += withUnit(text, Quantity(least))
			}
			err = invalid(text, why)
		}
		return limit, err
	}
	return s
}

// withUnit suggests the likely meaning of a number without a unit.
func withUnit(text string, least Quantity) string {
	for i := 1; digits(text) && len(text) < 6 && i < len(units); i++ { // from M on
		var n Quantity
		if s := text + units[i:i+1]; n.UnmarshalText([]byte(s)) == nil && n >= least {
			return ": a number alone is bytes (did you mean " + s + "?)"
		}
	}
	return ""
}

// limited makes the word unlimited an error: a server without end, or one that fills the machine's memory, is no
// policy.
func limited[T comparable](s scalar[T]) slot {
	any := s.read
	s.read = func(text string) (T, error) {
		v, err := any(text)
		switch {
		case text == unlimited:
			err = textError("must have a limit")
		case err != nil:
			err = textError(strings.TrimSuffix(err.Error(), orUnlimited))
		}
		return v, err
	}
	return s
}

func readBool(s string) (b Bool, err error) {
	err = b.UnmarshalText([]byte(s))
	return b, err
}

// flagSlot is the slot of what is given by one word. false says nothing, and null neither.
func flagSlot(at *bool) slot {
	return scalar[bool]{at: at, kind: strictjson.Bool, other: strictjson.Null, text: strconv.FormatBool,
		read: func(s string) (bool, error) {
			b, err := readBool(s)
			return b == Yes, err
		}}
}

// choice is true, false or the level's.
type choice struct{ scalar[Bool] }

func newChoice(at *Bool) slot {
	return choice{scalar[Bool]{at: at, kind: strictjson.Bool, read: readBool, text: Bool.String}}
}

func (c choice) check(r *keyErrors) {
	if *c.at > Yes {
		r.add("", textError(strconv.Itoa(int(*c.at))+" is neither Unset, No nor Yes"))
	}
}
