package hosts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

func TestFit(t *testing.T) {
	host := order.Patch{Op: "add", Path: "/network/allowedDomains/-", Value: "a.dev:7"}
	second := order.Patch{Op: "add", Path: "/network/allowedDomains/-", Value: "b.dev"}
	private := order.Patch{Op: "add", Path: "/network/allowPrivate", Value: true}
	removal := order.Patch{Op: "remove", Path: "/network/deniedDomains/0"}
	slashed := order.Patch{Op: "add", Path: "/env/a~1b~0c", Value: "x"}
	const listed = `{"version":1,"network":{"allowedDomains":["x.dev"],"deniedDomains":["y.dev","z.dev"]},"umask":"0077"}`
	for _, c := range []struct {
		document string
		patch    []order.Patch
		fitted   string // "" for an error
		after    string
	}{
		{`{"version":1}`, []order.Patch{host},
			`[{"op":"add","path":"/network","value":{"allowedDomains":["a.dev:7"]}}]`, `{"version":1,"network":{"allowedDomains":["a.dev:7"]}}`},
		{`{"version":1}`, []order.Patch{host, second, private},
			`[{"op":"add","path":"/network","value":{"allowedDomains":["a.dev:7"]}},` +
				`{"op":"add","path":"/network/allowedDomains/-","value":"b.dev"},{"op":"add","path":"/network/allowPrivate","value":true}]`,
			`{"version":1,"network":{"allowedDomains":["a.dev:7","b.dev"],"allowPrivate":true}}`},
		{`{"network":null,"version":1}`, []order.Patch{host},
			`[{"op":"add","path":"/network","value":{"allowedDomains":["a.dev:7"]}}]`, `{"network":{"allowedDomains":["a.dev:7"]},"version":1}`},
		{`{"version":1,"network":{}}`, []order.Patch{host},
			`[{"op":"add","path":"/network/allowedDomains","value":["a.dev:7"]}]`, `{"version":1,"network":{"allowedDomains":["a.dev:7"]}}`},
		{`{"version":1,"network":{"allowPrivate":false,"allowedDomains":null}}`, []order.Patch{private, host},
			`[{"op":"add","path":"/network/allowPrivate","value":true},{"op":"add","path":"/network/allowedDomains","value":["a.dev:7"]}]`,
			`{"version":1,"network":{"allowPrivate":true,"allowedDomains":["a.dev:7"]}}`},
		{`{"version":1,"network":{"allowedDomains":[]}}`, []order.Patch{host},
			`[{"op":"add","path":"/network/allowedDomains/-","value":"a.dev:7"}]`, `{"version":1,"network":{"allowedDomains":["a.dev:7"]}}`},
		{listed, []order.Patch{removal, host},
			`[{"op":"remove","path":"/network/deniedDomains/0"},{"op":"add","path":"/network/allowedDomains/-","value":"a.dev:7"}]`,
			`{"version":1,"network":{"allowedDomains":["x.dev","a.dev:7"],"deniedDomains":["z.dev"]},"umask":"0077"}`},
		{`{"version":1}`, []order.Patch{slashed}, `[{"op":"add","path":"/env","value":{"a/b~c":"x"}}]`, `{"version":1,"env":{"a/b~c":"x"}}`},
		{`{"version":1,"env":{"a/b~c":"y"}}`, []order.Patch{slashed}, `[{"op":"add","path":"/env/a~1b~0c","value":"x"}]`, `{"version":1,"env":{"a/b~c":"x"}}`},
		{`{"version":1}`, []order.Patch{removal}, "", ""}, // it was a flag's
		{`{"version":1,"network":{"deniedDomains":[]}}`, []order.Patch{removal}, "", ""},
		{`{"version":1,"network":{"allowedDomains":"x.dev"}}`, []order.Patch{host}, "", ""},
		{`{"version":1,"network":[]}`, []order.Patch{host}, "", ""},
		{`{"version":1,`, []order.Patch{host}, "", ""},
	} {
		fitted, after, err := hosts.Fit([]byte(c.document), c.patch)
		if (err != nil) != (c.fitted == "") {
			t.Errorf("%s: %v", c.document, err)
		}
		if err != nil {
			continue
		}
		got, err := json.Marshal(fitted)
		if err != nil || string(got) != c.fitted {
			t.Errorf("%s: %v, %s", c.document, err, got)
		}
		if got := squeezed(after); got != c.after {
			t.Errorf("%s: %s", c.document, got)
		}
		if got := squeezed([]byte(apply(t, c.document, string(got)))); !sameJSON(t, got, c.after) {
			t.Errorf("%s: applied %s", c.document, got)
		}
	}
}

func squeezed(document []byte) string {
	return strings.NewReplacer("\n", "", " ", "").Replace(string(document))
}
