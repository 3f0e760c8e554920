// Package schema is the JSON Schema (draft 2020-12) of a policy, for editors and other programs' checks.
//
//	os.Stdout.Write(schema.JSON())
//
// Every policy that policy.Parse accepts is valid by it. The reverse does not hold: a schema sees neither keys that
// occur twice nor where "/srv/../proc" leads. Package policy does not import the schema, so the shim does not carry it.
package schema

import _ "embed"

//go:embed schema.json
var document []byte

// JSON is a copy of the schema.
func JSON() []byte { return append([]byte(nil), document...) }
