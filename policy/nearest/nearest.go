// Package nearest finds the word that was probably meant by one that is none.
//
//	nearest.Of("alow-read", []string{"allow-read", "allow-write"}) // "allow-read"
//
// A guess is for a message alone: no program goes on with it.
package nearest

import "strings"

// Of is the word with the fewest letters changed, at most one in three and two of all; else the first that begins or
// ends with name; else "".
func Of(name string, words []string) string {
	best, distance := "", 3
	for _, word := range words {
		d := 0
		if !strings.EqualFold(word, name) {
			d = edits(word, name)
		}
		if d < distance && d <= len(word)/3 {
			best, distance = word, d
		}
	}
	const part = 3 // letters that begin or end only a few words
	name = strings.ToLower(name)
	for _, word := range words {
		w := strings.ToLower(word)
		if best == "" && len(name) >= part && (strings.HasPrefix(w, name) || strings.HasSuffix(w, name)) {
			best = word
		}
	}
	return best
}

// edits is the number of letters to insert, delete, replace or swap with their neighbour to make b of a. Long words are
// far from every other.
func edits(a, b string) int {
	const most = 24
	if len(a) > most || len(b) > most {
		return most
	}
	var before, last, row [most + 1]int
	for j := range row {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(last[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
