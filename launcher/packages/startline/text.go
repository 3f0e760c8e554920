package startline

import (
	"strings"
)

// only reports whether a word is made of letters and digits of ASCII and of others, and not empty.
func only(word, others string) bool {
	for i := range len(word) {
		if !isAlnum(word[i]) && strings.IndexByte(others, word[i]) < 0 {
			return false
		}
	}
	return word != ""
}

func isAlnum(c byte) bool   { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool   { return c >= '0' && c <= '9' }
func isLower(s string) bool { return strings.ToLower(s) == s }

// isNumber reports whether a word is a number as versions have it: without a zero in front.
func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == "" && (word == "0" || word[0] != '0')
}
