//go:build !windows

package tryout

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func TestAsk(t *testing.T) {
	python := testbed.Python(t)
	const loop = "import sys, json\nfor line in sys.stdin:\n  m = json.loads(line)\n"
	for name, c := range map[string]struct {
		program, want string
		tools         int
	}{
		"answers": {loop + `  if m.get("id") == 1: print("noise"); print(json.dumps({"jsonrpc":"2.0","method":"log"})); print(json.dumps({"id":1,"result":{}}), flush=True)
  if m.get("id") == 2: print(json.dumps({"id":2,"result":{"tools":[{"name":"a"},{"name":"b"}]}}), flush=True)`, "", 2},
		"no tools": {loop + `  if m.get("id") == 1: print(json.dumps({"id":1,"result":{}}), flush=True)
  if m.get("id") == 2: print(json.dumps({"id":2,"error":{"code":-32601,"message":"no"}}), flush=True)`, "", 0},
		"ends":    {`import sys; print("mcp-sandbox: refused", file=sys.stderr); print("bye", file=sys.stderr); sys.exit(3)`, ": bye; refused", 0},
		"silent":  {`import sys; sys.exit(3)`, "exit status 3", 0},
		"refuses": {loop + `  print(json.dumps({"id":m.get("id"),"error":{"code":-32000,"message":"not today"}}), flush=True)`, "not today", 0},
		"hangs":   {`import time; time.sleep(60)`, "no answer in time", 0},
		"stays": {"import signal, time\n" + loop + `  if m.get("id") == 1: print(json.dumps({"id":1,"result":{}}), flush=True)
  if m.get("id") == 2: print(json.dumps({"id":2,"result":{"tools":[]}}), flush=True)
time.sleep(60)`, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limit := 30 * time.Second
			if name == "hangs" {
				limit = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			began := time.Now()
			tools, err := Ask(ctx, &Server{Command: []string{python, "-c", c.program}, Env: os.Environ()})
			if tools != c.tools || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d tools, %v", tools, err)
			}
			if took := time.Since(began); took > 25*time.Second {
				t.Errorf("%s", took)
			}
		})
	}
}
