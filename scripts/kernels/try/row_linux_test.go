package try

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func TestMain(m *testing.M) {
	reexec.Init()
	if len(os.Args) > 1 && os.Args[1] == asHost {
		os.Exit(host(os.Args[2], os.Args[3:]))
	}
	os.Exit(testbed.Run(m))
}

func TestRow(t *testing.T) {
	text := os.Getenv(matrix.EnvName)
	if text == "" {
		t.Skip("nothing is expected of this machine: it is no guest of command kernels")
	}
	e, err := expectation(text)
	if err != nil {
		t.Fatal(err)
	}
	s := newScene(t, e)
	for way, argv := range s.ways() {
		expect := of(*e, way)
		o := s.launch(t, argv)
		found := compare(&expect, o)
		for _, difference := range found {
			t.Errorf("%s: %s", way, difference)
		}
		if found != nil {
			continue
		}
		for _, name := range undetected(&expect, o) {
			t.Errorf("%s: holds with another %s too", way, name)
		}
	}
	for _, difference := range compareReach(e, s.reaches(t)) {
		t.Error("a list of domains: " + difference)
	}
	for _, difference := range compareDiagnosis(e, s.doctor(t)) {
		t.Error("doctor: " + difference)
	}
}

// expectation reads what matrix.EnvName carries.
func expectation(text string) (*matrix.Expectation, error) {
	e := new(matrix.Expectation)
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(e); err != nil {
		return nil, fmt.Errorf("%s: %w", matrix.EnvName, err)
	}
	return e, e.Check()
}

// Without an expectation nothing is compared, and that is no success.
func TestNothingExpected(t *testing.T) {
	for _, text := range []string{"", "{}", `{"Kernel":"6.1."}`, `{"Kernel":"6.1.","Confinement":"full","Unknown":1}`} {
		if e, err := expectation(text); err == nil {
			t.Errorf("%q: %+v", text, e)
		}
	}
}
