package policy

import "strings"

// suggest says which key was probably meant, or nothing.
func suggest(section, name string) string {
	best, distance := "", 3 // of two letters at most
	consider := func(key string) {
		d := 0
		if !strings.EqualFold(key, name) {
			d = edits(key, name)
		}
		if d < distance && d < len(key)/2 {
			best, distance = key, d
		}
	}
	for i := range keys {
		k := &keys[i]
		if k.section == section {
			consider(k.name)
		}
		if section == "" && k.section != "" {
			consider(k.section)
		}
	}
	if section == "" {
		consider("version")
	}
	for i := range keys {
		if k := &keys[i]; best == "" && k.name == name {
			best = k.String()
		}
	}
	if best == "" {
		return ""
	}
	return " (did you mean " + best + "?)"
}

// edits is the number of letters to insert, delete, replace or swap with their neighbour to make b of a. Long names are
// far from every key.
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
