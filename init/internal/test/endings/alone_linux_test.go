package endings_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"golang.org/x/sys/unix"
)

// Init learns that the shim is gone by its lifeline and by PDEATHSIG. Either alone is enough, whatever ends the launch,
// for a server that ends by nothing less than SIGKILL.
func TestEachWayAlone(t *testing.T) {
	t.Parallel()
	stubborn := server{name: "deaf", script: deaf + `(setsid sleep 1000 &); END`, beside: 1, stubborn: true}
	for _, without := range []string{"lifeline", "pdeathsig"} {
		for _, tr := range triggers() {
			if tr.onlyEmbedded || tr.byItself {
				continue // no way for the lifeline to be altered, and none that is needed
			}
			t.Run(without+"/"+tr.name, func(t *testing.T) {
				t.Parallel()
				l := launch{Launch: host.Launch{Command: stubborn.command(t, false, false)}, Without: without}
				sometimes(t, func() error {
					run := start(t, l, tr.policy(&stubborn), tr.ownHost)
					if said := run.next(); said != "ready" || !run.settled(3, 0) {
						run.end()
						return fmt.Errorf("over before it was looked at; it said %q", said)
					}
					from := time.Now()
					tr.act(run)
					began := from.Sub(run.began) // on a busy machine the end takes as long as the beginning
					over := from.Add(tr.after + unasked + slack + began)
					if tr.name == "timeout" {
						over = run.began.Add(tr.after + unasked + slack + began)
					}
					run.cmd.Wait()
					late := run.goneBy(over)
					if x := run.exited(); tr.cause != "" && (x == nil || x.Cause != tr.cause) {
						t.Errorf("said %+v, want %s", x, tr.cause)
					}
					return tardy(late)
				})
			})
		}
	}
}

// With both taken away the tree survives its shim: what the test above takes away is what there is.
func TestNeitherWay(t *testing.T) {
	t.Parallel()
	l := launch{Launch: host.Launch{Command: shell(waits)}, Without: "lifeline pdeathsig"}
	run, other := start(t, l, "", false), start(t, of(l.Command), "", false)
	run.leftBehind(other)
	if living, _ := run.here(); len(living) != 2 {
		t.Errorf("%v survived, want init and the server", living)
	}
	unix.Kill(run.process1, unix.SIGKILL)
	run.nobodyLeft()
}
