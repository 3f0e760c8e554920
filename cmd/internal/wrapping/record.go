package wrapping

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// What wrap wrote, or its user said yes to, is known by a sum of each policy, in the folder of the user's in which wrap
// works: a project's policy can be another's, and change with the next pull.

func sum(text string) string {
	all := sha256.Sum256([]byte(text))
	return hex.EncodeToString(all[:])
}

// records opens the folder of the sums, and names that of a policy.
func (f policyFile) records(create bool) (root *os.Root, name string, err error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return nil, "", err
	}
	at, err := folder.Trusted(filepath.Join(p.State, "wrap"), create)
	if err != nil {
		return nil, "", err
	}
	root, err = os.OpenRoot(at)
	path := filepath.Join(platform.Resolved(filepath.Dir(f.path)), filepath.Base(f.path))
	return root, "policy-" + sum(path)[:32], err
}

// remember records that the user wrapped a server with this policy.
func (f policyFile) remember(p *policy.Policy) error {
	root, name, err := f.records(true)
	if err != nil {
		return err
	}
	defer root.Close()
	return replace(root, name, []byte(sum(string(p.AppendJSON(nil)))))
}

// errUnseen is the way out for a policy that the user did not see.
var errUnseen = errors.New("wrap shows what the policy opens, and takes it over")

// known is why a policy is not the one with which the user wrapped the server, or nil.
func (f policyFile) known(p *policy.Policy) error {
	var was []byte
	if root, name, err := f.records(false); err == nil {
		was, _ = root.ReadFile(name)
		root.Close()
	}
	switch string(was) {
	case sum(string(p.AppendJSON(nil))):
		return nil
	case "":
		return fmt.Errorf("not by you: no wrap of yours wrote its policy %s (%w)", f.path, errUnseen)
	}
	return fmt.Errorf("its policy %s changed since you wrapped it (%w)", f.path, errUnseen)
}
