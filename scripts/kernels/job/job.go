// Package job is what crosses between the machine that boots a kernel and process 1 of its guest: the work, as JSON in the
// initramfs, and how it went, as lines on the guest's second serial port.
//
//	j := job.Job{UID: 1000, Steps: []job.Step{{Name: "id", Argv: []string{"/usr/bin/id"}}}}
//
// The first serial port carries what the steps print, so a test cannot write its own result. It can write marks into its
// output; nothing here is meant against a test that lies.
package job

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A Job is what one guest does.
type Job struct {
	UID     int       // and the group of the same number; the steps run as it, process 1 stays root
	Place   Place     // where they run
	Hybrid  bool      // the controllers are in hierarchies of cgroup v1, beside one of v2 that has none
	Sysctls []Setting // written before the steps
	Mask    []string  // files of the guest under which /dev/null is bound, as container runtimes mask /proc
	Open    []string  // folders that every uid must be able to enter; changed in the guest only
	Env     []string  // of the steps, besides PATH, HOME and TMPDIR
	Steps   []Step
}

// A Setting is one sysctl, "user.max_user_namespaces" and its value.
type Setting struct{ Name, Value string }

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

// Path is the file of a sysctl; proc_sys(5).
func (s Setting) Path() string { return "/proc/sys/" + strings.ReplaceAll(s.Name, ".", "/") }

// Mark is the line in a guest's output before that of a step.
func Mark(step string) string { return "---- step " + step }

// Took is the line in a guest's output after that of a step.
func Took(step string, d time.Duration) string {
	return fmt.Sprintf("---- %s took %.1f s", step, d.Seconds())
}

// A Status is what a guest says of its job.
type Status struct {
	Codes    map[string]int // exit status of each step by name; 128+N for signal N
	Troubles []string       // what process 1 could not do
	Done     bool           // it came to the end
}

// Exit writes that a step ended.
func Exit(w io.Writer, step string, code int) error {
	_, err := fmt.Fprintf(w, "exit %s %d\n", step, code)
	return err
}

// Trouble writes what process 1 could not do.
func Trouble(w io.Writer, text string) error {
	_, err := fmt.Fprintf(w, "trouble %s\n", strings.ReplaceAll(text, "\n", " "))
	return err
}

// Done writes that nothing follows.
func Done(w io.Writer) error {
	_, err := io.WriteString(w, "done\n")
	return err
}

// ParseStatus reads what the three functions wrote. A line that is none of theirs is an error.
func ParseStatus(r io.Reader) (Status, error) {
	s := Status{Codes: map[string]int{}}
	for lines := bufio.NewScanner(r); lines.Scan(); {
		line := strings.TrimSuffix(lines.Text(), "\r")
		word, rest, _ := strings.Cut(line, " ")
		name, number, _ := strings.Cut(rest, " ")
		code, err := strconv.Atoi(number)
		_, twice := s.Codes[name]
		switch {
		case s.Done:
			return s, fmt.Errorf("status: %q after the end", line)
		case word == "exit" && err == nil && name != "" && !twice:
			s.Codes[name] = code
		case word == "trouble" && rest != "":
			s.Troubles = append(s.Troubles, rest)
		case line == "done":
			s.Done = true
		default:
			return s, fmt.Errorf("status: %q is no line of it", line)
		}
	}
	return s, nil
}
