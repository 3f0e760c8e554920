package matrix

import "testing"

func TestCompareDiagnosis(t *testing.T) {
	reached, refused := Expectation{Confinement: full}, Expectation{}
	for _, c := range []struct {
		e    Expectation
		d    Diagnosis
		good bool
	}{
		{reached, Diagnosis{"full", 0}, true},
		{reached, Diagnosis{"reduced", 0}, false},
		{reached, Diagnosis{"full", 1}, false},
		{refused, Diagnosis{"limits", 1}, true},
		{refused, Diagnosis{"limits", 0}, false},
	} {
		if got := c.e.CompareDiagnosis(&c.d); (got == nil) != c.good {
			t.Errorf("%q with %+v: %q", c.e.Confinement, c.d, got)
		}
	}
}
