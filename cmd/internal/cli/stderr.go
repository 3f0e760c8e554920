package cli

import (
	"os"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
)

// Stderr is where a command says what happens, besides refusals.
type Stderr struct {
	Quiet bool     // nothing is said
	kept  []string // variables of which a line was said
}

// Say writes a line.
func (s *Stderr) Say(line string) {
	if !s.Quiet {
		reexec.Say(line)
	}
}

// All writes the lines of several lists.
func (s *Stderr) All(lists ...[]string) {
	for _, line := range slices.Concat(lists...) {
		s.Say(line)
	}
}

// Variables that name the folders of what this program keeps.
const (
	PackagesVariable = "XDG_DATA_HOME"
	StatesVariable   = "XDG_STATE_HOME"
	PoliciesVariable = "XDG_CONFIG_HOME"
)

// kept is what lies in the folder of a variable.
var kept = map[string]string{PackagesVariable: "packages", StatesVariable: "states, reports and backups",
	PoliciesVariable: "policies"}

// Kept tells of those of the variables by which this command does not go, because whoever started the program may
// have set them and not the user; of each once.
func (s *Stderr) Kept(variables ...string) {
	for _, variable := range variables {
		folder := places.Instead(variable, os.Getenv)
		if folder == "" || slices.Contains(s.kept, variable) {
			continue
		}
		s.kept = append(s.kept, variable)
		s.Say(notice.NotUsers(variable, kept[variable], folder))
	}
}
