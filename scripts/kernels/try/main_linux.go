// Command try launches servers on the machine it is on and compares what is reported with what was expected of it.
//
// It runs in the guest of a row, as root, and starts launchers as the row's user in the row's place:
// mcp-sandbox-init, and a host that uses the library, which is this program again; and it asks mcp-sandbox doctor.
// What a report says of a server's control group it looks up itself. It says every difference. The expectation comes
// in the environment; with none it fails. At last it changes one thing of the expectation after the other and demands
// that each changed one does not hold. Exit status: 0 all as expected, 1 not, 2 nothing was compared.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func main() {
	reexec.Init()
	if len(os.Args) > 1 && os.Args[1] == asHost {
		os.Exit(host(os.Args[2], os.Args[3:]))
	}
	different, err := try(os.Getenv(matrix.EnvName), os.Getenv(testbed.ProgramsEnv))
	if err != nil {
		fmt.Println("try:", err)
		os.Exit(2)
	}
	for _, d := range different {
		fmt.Println("try:", d)
	}
	if different != nil {
		os.Exit(1)
	}
	fmt.Println(matrix.TryHolds)
}

func try(text, programs string) ([]string, error) {
	var e matrix.Expectation
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&e); err != nil {
		return nil, fmt.Errorf("%s: %w", matrix.EnvName, err)
	}
	if err := e.Check(); err != nil {
		return nil, err
	}
	s, err := newScene(&e, programs)
	if err != nil {
		return nil, err
	}
	defer s.close()
	var different []string
	for _, w := range s.ways() {
		expect := e.Of(w.name)
		o, err := s.launch(w.argv)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		found := expect.Compare(o)
		for _, text := range found {
			different = append(different, w.name+": "+text)
		}
		if found != nil {
			continue
		}
		for _, name := range expect.Undetected(o) {
			different = append(different, w.name+": holds with another "+name+" too")
		}
	}
	diagnosis, err := s.doctor()
	if err != nil {
		return nil, err
	}
	for _, text := range e.CompareDiagnosis(diagnosis) {
		different = append(different, "doctor: "+text)
	}
	return different, nil
}
