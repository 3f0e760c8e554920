package policy_test

import (
	"fmt"
	"os"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A host reads a policy as its user wrote it and shows what it comes to.
func Example() {
	p, err := policy.Parse([]byte(`{
		"version": 1,
		"filesystem": {"allowRead": ["data"], "allowWrite": ["-~/cache"]},
		"limits": {"memory": "512Mi"}
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if p, err = p.Absolute("/srv/project", "/home/u"); err != nil {
		fmt.Println(err)
		return
	}
	p.MinConfinement = policy.Full
	os.Stdout.Write(p.Effective(policy.Library).AppendJSON(nil))
	// Output:
	// {
	//   "version": 1,
	//   "level": "standard",
	//   "minConfinement": "full",
	//   "filesystem": {
	//     "default": "deny",
	//     "allowRead": [
	//       "/srv/project/data"
	//     ],
	//     "allowWrite": [
	//       "-/home/u/cache"
	//     ],
	//     "tmpSize": "256M"
	//   },
	//   "subprocess": {
	//     "allow": true
	//   },
	//   "limits": {
	//     "cpu": "unlimited",
	//     "memory": "512M",
	//     "pids": 512,
	//     "openFiles": 1024
	//   },
	//   "onStdinClose": "terminate",
	//   "onHostExit": "terminate"
	// }
}

// Every mistake is told, with its place.
func ExampleParse_errors() {
	_, err := policy.Parse([]byte(`{"version": 1, "filesystem": {"allowRaed": ["/srv"], "allowWrite": ["/"]}, "limits": {"pids": 0}}`))
	fmt.Println(err)
	// Output:
	// /filesystem/allowRaed: unknown key (did you mean allowRead?)
	// /filesystem/allowWrite/0: "/" is the whole file system, which cannot be granted: filesystem.default read shows all of it
	// /limits/pids: "0" is zero: a limit must be above it, or "unlimited"
}

// Flags change one value each.
func ExamplePolicy_Set() {
	var p policy.Policy
	fmt.Println(p.Set("filesystem.allowRead", "~/src"))
	fmt.Println(p.Set("limits.memory", "10X"))
	// Output:
	// <nil>
	// "10X" is no quantity: write a number such as 512M or 2Gi, or "unlimited"
}
