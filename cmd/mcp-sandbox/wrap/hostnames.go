package wrap

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/nearest"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// unknownHost is the error of a host that the table has not. The help lists those that it has.
func unknownHost(name string) error {
	s := text.Quote(name) + " is no host that is known"
	if strings.ContainsAny(name, `/\`) || filepath.Ext(name) != "" {
		return errors.New(text.Quote(name) + " is no host: a file is found by the name of the host that reads " +
			"it, as cursor, or by --project FOLDER; entries of any other file are changed by hand")
	}
	if meant := nearest.Of(name, HostNames()); meant != "" {
		s += " (did you mean " + meant + "?)"
	}
	return errors.New(s)
}

// hostList is the paragraph of a help that names all hosts.
func hostList() string {
	const width = 84
	text, line := "", "HOST is one of"
	for _, name := range HostNames() {
		if len(line)+1+len(name) > width {
			text, line = text+"\n"+line, name
			continue
		}
		line += " " + name
	}
	return text + "\n" + line + ".\n"
}
