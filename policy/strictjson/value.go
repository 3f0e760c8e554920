package strictjson

// Kind is what a Value is.
type Kind uint8

// The kinds of values. The zero Kind is no value at all.
const (
	Null Kind = 1 + iota
	Bool
	Number
	String
	Array
	Object
)

// String is the kind's name with its article, as an error message wants it.
func (k Kind) String() string {
	return [...]string{"nothing", "null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// A Value is one value of a document with everything in it.
type Value struct {
	Kind  Kind
	Name  string  // of a member of an object, escapes read; "" elsewhere
	Text  string  // a string with its escapes read; a number, true and false as they are written
	Items []Value // the elements of an array, or the members of an object, in the document's order
}
