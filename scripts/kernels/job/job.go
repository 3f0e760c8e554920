// Package job is what crosses between the machine that boots a kernel and process 1 of its guest: the work, as JSON
// in the initramfs, and its events, as lines on the guest's second serial port.
//
//	j := job.Job{UID: 1000, Steps: []job.Step{{Name: "id", Argv: []string{"/usr/bin/id"}}}}
//
// The first serial port carries the steps' output, so a test cannot write its own result. A test can write marks
// into its output; nothing here guards against a lying test.
package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A Job is what one guest does.
type Job struct {
	UID     int               // and the group of the same number; the steps run as it, process 1 stays root
	Place   Place             // where they run
	Hybrid  bool              // the controllers are in hierarchies of cgroup v1, beside one of v2 that has none
	Sysctls map[string]string // "user.max_user_namespaces" and its value
	Mask    []string          // files of the guest under which /dev/null is bound, as container runtimes mask /proc
	Open    []string          // folders that every uid must be able to enter; changed in the guest only
	Env     []string          // of the steps, besides PATH, HOME and TMPDIR
	Steps   []Step
}

// A Step is one program. All run, one after the other, whatever the one before came to.
type Step struct {
	Name string // no spaces
	Dir  string
	Argv []string
	Root bool // it runs as root and nowhere, and puts others in their places itself
}

// A Place is where in the control groups a launcher finds itself; cgroups(7).
type Place string

const (
	Nowhere   Place = ""          // in a group of the system's, without systemd: the root of them
	Delegated Place = "delegated" // alone in a group that belongs to its user, as systemd's Delegate=yes has it
	Below     Place = "below"     // in a group below such a one, in which is no process
	Manager   Place = "manager"   // in a service of systemd's, where a user manager runs that can be asked for a group
)

// Mark is the line in a guest's output before that of a step.
func Mark(step string) string { return "---- step " + step }

// An Event is one of: a step that ended, what process 1 could not do, and the end of the job. The guest writes each
// as a line of JSON.
type Event struct {
	Step    string  `json:",omitempty"`
	Code    int     // exit status of the step; 128+N for signal N
	Seconds float64 // that the step took
	Trouble string  `json:",omitempty"`
	Done    bool    `json:",omitempty"`
}

// A Status is all events of a guest.
type Status struct {
	Codes    map[string]int // by the names of steps
	Seconds  map[string]float64
	Troubles []string
	Done     bool // the guest came to the end
}

// ParseStatus reads events. Whatever else the guest wrote is an error.
func ParseStatus(r io.Reader) (Status, error) {
	s := Status{Codes: map[string]int{}, Seconds: map[string]float64{}}
	events := json.NewDecoder(r)
	events.DisallowUnknownFields()
	for {
		var e Event
		err := events.Decode(&e)
		if err == io.EOF {
			return s, nil
		}
		_, twice := s.Codes[e.Step]
		switch {
		case err != nil:
			return s, fmt.Errorf("status: %w", err)
		case s.Done || twice:
			return s, fmt.Errorf("status: %+v after the end, or a second time", e)
		case e.Step != "":
			s.Codes[e.Step], s.Seconds[e.Step] = e.Code, e.Seconds
		case e.Trouble != "":
			s.Troubles = append(s.Troubles, e.Trouble)
		case e.Done:
			s.Done = true
		default:
			return s, errors.New("status: an event that says nothing")
		}
	}
}
