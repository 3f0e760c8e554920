package matrix

import "fmt"

// A Diagnosis is what `mcp-sandbox doctor --json` says.
type Diagnosis struct {
	Confinement string
	Code        int `json:"-"` // its exit status
}

// CompareDiagnosis returns every difference: doctor must promise what a launch then gets. Where launches are refused it
// may name a weaker confinement, and says by its exit status that none starts.
func (e *Expectation) CompareDiagnosis(d *Diagnosis) (all []string) {
	code := 0
	if e.Confinement == "" {
		code = 1
	} else if d.Confinement != e.Confinement {
		all = append(all, fmt.Sprintf("confinement is %s, expected %s", d.Confinement, e.Confinement))
	}
	if d.Code != code {
		all = append(all, fmt.Sprintf("exit status is %d, expected %d", d.Code, code))
	}
	return all
}
