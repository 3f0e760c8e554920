package ask

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// FitPatch makes a patch that applies to the document as it is: missing objects and lists are added. To remove an entry
// that the document does not have is an error: a flag gave that entry.
func FitPatch(document []byte, patch []order.Patch) ([]order.Patch, error) {
	fitted, _, err := hosts.Fit(document, patch)
	return fitted, err
}

// AnyCommand is a command that every server can have, for a question about a server of which no command is known: a
// program of the base system, which needs nothing.
func AnyCommand() ([]string, error) {
	for _, at := range [...]string{"/bin/true", "/usr/bin/true", "/run/current-system/sw/bin/true"} {
		if st, err := os.Stat(at); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return []string{at}, nil
		}
	}
	return nil, errors.New("no command: name one behind the flags, for there is no program true here to stand for it")
}

// CallNames are the names of system calls that a policy can deny.
func CallNames() []string { return seccomp.Names() }
