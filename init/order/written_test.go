package order

import "testing"

func TestAsWritten(t *testing.T) {
	o := &Order{Written: []string{"policy: allowRead /a", "--allow-read /a", "policy: cwd /a", "p.json: /cwd /a", "odd"}}
	for line, want := range map[string]string{
		"policy: allowRead /a: is a socket":  "--allow-read /a: is a socket",
		"policy: cwd /a: is not visible":     "p.json: /cwd /a: is not visible",
		"policy: allowRead /ab: is a socket": "policy: allowRead /ab: is a socket",
		"exec: start /a: no such file":       "exec: start /a: no such file",
		"":                                   "",
	} {
		if got := o.AsWritten(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}
