package edit_test

import (
	"fmt"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/edit"
)

func ExampleDocument_Rewrite() {
	file := []byte(`{ // mine
  "servers": {
    "fs": { "command": "npx", "args": ["-y", "fs"] },
    "web": { "url": "https://mcp.example.com" },
  }
}
`)
	ours := func(policy string) bool { return strings.HasPrefix(policy, "/policies/") }
	form := mcphosts.Form{Syntax: mcphosts.JSONC, Roots: "servers"}
	d, err := edit.Open(file, form, ours)
	if err != nil {
		panic(err)
	}
	for _, s := range d.Servers() {
		fmt.Printf("%s: %s %q%s\n", s.Name, s.State, s.Command, s.Reason)
	}
	wrapped, err := d.Rewrite([]edit.Change{{Server: 0, Program: "/usr/bin/mcp-sandbox", Policy: "/policies/fs.json"}})
	if err != nil {
		panic(err)
	}
	fmt.Print(string(wrapped))
	// Output:
	// fs: plain ["npx" "-y" "fs"]
	// web: cannot []reached by a URL: no program is started
	// { // mine
	//   "servers": {
	//     "fs": { "command": "/usr/bin/mcp-sandbox", "args": ["run", "--policy", "/policies/fs.json", "--", "npx", "-y", "fs"] },
	//     "web": { "url": "https://mcp.example.com" },
	//   }
	// }
}
