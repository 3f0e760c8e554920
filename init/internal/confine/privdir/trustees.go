package privdir

import "strings"

// trustees are the SIDs, or their abbreviations, that a security descriptor's text allows. An entry of another kind
// than "allow" allows none.
func trustees(sddl string) (who []string) {
	_, dacl, found := strings.Cut(sddl, "D:")
	if !found || strings.HasPrefix(dacl, "NO_ACCESS_CONTROL") {
		return []string{"everybody"} // no list at all
	}
	dacl, _, _ = strings.Cut(dacl, "S:")
	for entry := range strings.SplitSeq(dacl, "(") {
		entry, _, _ := strings.Cut(entry, ")") // a condition has parentheses of its own, behind the fields that count
		if parts := strings.Split(entry, ";"); len(parts) >= 6 && strings.HasSuffix(parts[0], "A") {
			who = append(who, parts[5])
		}
	}
	return who
}
