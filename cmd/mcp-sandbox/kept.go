package main

import (
	"os"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
)

// Variables that name the folders of what this program keeps.
const (
	packagesVariable = "XDG_DATA_HOME"
	statesVariable   = "XDG_STATE_HOME"
	policiesVariable = "XDG_CONFIG_HOME"
)

// kept is what lies in the folder of a variable.
var kept = map[string]string{packagesVariable: "packages", statesVariable: "states, reports and backups",
	policiesVariable: "policies"}

// sayKept tells of those of the variables by which this command does not go, because whoever started the program may
// have set them and not the user; of each once.
func sayKept(o *options, variables ...string) {
	for _, variable := range variables {
		folder := places.Instead(variable, os.Getenv)
		if folder == "" || isQuiet(o) || slices.Contains(o.said, variable) {
			continue
		}
		o.said = append(o.said, variable)
		reexec.Say(notice.NotUsers(variable, kept[variable], folder))
	}
}

// isQuiet reports whether a flag asks for no line but refusals.
func isQuiet(o *options) bool {
	quiet := o.set.Lookup("quiet")
	return quiet != nil && quiet.Changed
}

// openStore opens the store for a command.
func openStore(o *options) (*store.Store, error) {
	sayKept(o, packagesVariable)
	return store.Open(os.Getenv)
}
