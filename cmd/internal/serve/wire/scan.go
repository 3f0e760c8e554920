package wire

import "bytes"

// A span is a part of a message; from is 0 where there is none, for a message begins with a brace.
type span struct{ from, to int }

// members calls each with the name and the value of each member of the object at a place of valid JSON.
func members(raw []byte, at span, each func(name []byte, value span) error) error {
	i := space(raw, at.from+1)
	for raw[i] != '}' {
		name := span{i, skip(raw, i)}
		i = space(raw, space(raw, name.to)+1) // behind the colon
		value := span{i, skip(raw, i)}
		if err := each(raw[name.from:name.to], value); err != nil {
			return err
		}
		if i = space(raw, value.to); raw[i] == ',' {
			i = space(raw, i+1)
		}
	}
	return nil
}

// space is where the next byte that is no white space stands.
func space(raw []byte, i int) int {
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\n' || raw[i] == '\r') {
		i++
	}
	return i
}

// skip is the end of the value that begins at i.
func skip(raw []byte, i int) int {
	switch raw[i] {
	case '"':
		return skipString(raw, i)
	case '{', '[':
		for depth := 0; ; {
			switch raw[i] {
			case '"':
				i = skipString(raw, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
			if i++; depth == 0 {
				return i
			}
		}
	}
	for i < len(raw) && !bytes.ContainsRune([]byte(",}] \t\r\n"), rune(raw[i])) {
		i++
	}
	return i
}

func skipString(raw []byte, i int) int {
	for i++; raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return i + 1
}
