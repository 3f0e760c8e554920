package state

import (
	"slices"
	"strings"
)

func sorted(all []Info) []Info {
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return all
}
