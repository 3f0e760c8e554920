package why_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/ask"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// A trial is one policy, and acts under it.
type trial struct {
	testing.TB
	host.Launch
	acts []act
	rows *int
}

// answers asks about each act; an error is that of a policy that is refused.
func (c *trial) answers() ([]order.Answer, error) {
	built, err := c.Build()
	if err != nil {
		return nil, err
	}
	all := make([]order.Answer, len(c.acts))
	for i, a := range c.acts {
		if all[i], err = ask.Why(built, a.question()); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// launch makes the attempts in a real launch, or says why that is refused.
func (c *trial) launch() (all []outcome, refused string) {
	c.Helper()
	in, err := json.Marshal(c.acts)
	if err != nil {
		c.Fatal(err)
	}
	cmd := c.Cmd(c)
	cmd.Stdin = bytes.NewReader(in)
	run := host.Finish(c, cmd)
	if run.Code == 125 {
		return nil, run.Stderr.String()
	}
	if err := json.Unmarshal(run.Stdout.Bytes(), &all); err != nil || run.Code != 0 {
		c.Fatalf("code %d, %v\n%s%s", run.Code, err, &run.Stdout, &run.Stderr)
	}
	return all, ""
}

// reached reports whether an outcome is of the host's own object, and removes what was made.
func (o *outcome) reached(a act) bool {
	at := a.Path
	if o.Made != "" {
		at = o.Made
	}
	var st unix.Stat_t
	is := o.Done && unix.Stat(at, &st) == nil && st.Dev == o.Dev && st.Ino == o.Ino
	if o.Made != "" && is {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			at = real
		}
		os.Remove(at)
	}
	return is
}

// compare compares the answers with the attempts.
func (c *trial) compare() {
	c.Helper()
	answers, refused := c.answers()
	there := make([]bool, len(c.acts))
	for i, a := range c.acts {
		there[i] = unix.Stat(a.Path, new(unix.Stat_t)) == nil
	}
	outcomes, why := c.launch()
	launched := why == ""
	if launched != (refused == nil) {
		c.Errorf("%s\nlaunched: %q, and the answer is %v", c.Policy, why, refused)
	}
	if !launched || refused != nil {
		*c.rows++
		return
	}
	tried := map[string]bool{}
	var changes []suggested
	for i, a := range c.acts {
		*c.rows++
		answer := &answers[i]
		if is := outcomes[i].reached(a); is != (answer.Allowed == order.ActAllowed) {
			c.Errorf("%s\nbegin %q: %+v\nreached %v: %+v\n%+v", c.Policy, c.Begin, a, is, outcomes[i], *answer)
		}
		c.checkSight(a, &outcomes[i], answer, there[i])
		if patch, _ := json.Marshal(answer.Patch); answer.Patch != nil && !tried[string(patch)] && !slices.ContainsFunc(answer.Flags, busy) {
			tried[string(patch)] = true
			changes = append(changes, suggested{a, answer})
		}
	}
	c.tryAll(changes)
}

// busy reports whether a grant is of a folder in which other programs make and remove files at any time: a launch that
// is granted all of these is refused when one goes.
func busy(path string) bool { return path == "/tmp" || path == "/var/tmp" || path == "/dev/shm" }

// checkSight compares what is seen with what an attempt met.
func (c *trial) checkSight(a act, o *outcome, answer *order.Answer, is bool) {
	c.Helper()
	if is != answer.OnHost && os.Getuid() == 0 {
		c.Errorf("%s\n%+v: on the host %v, %+v", c.Policy, a, is, *answer)
	}
	if answer.Seen == order.SeesAbsent && o.Done && o.Made == "" {
		c.Errorf("%s\n%+v: absent, and %+v", c.Policy, a, *o)
	}
}

// patched applies RFC 6902's add and remove to a document whose objects and lists are made first.
func patched(tb testing.TB, doc string, patch []order.Patch) string {
	var root map[string]any
	if err := json.Unmarshal([]byte(doc), &root); err != nil {
		tb.Fatal(err)
	}
	for _, p := range patch {
		steps := strings.Split(p.Path, "/")[1:]
		if len(steps) == 1 {
			root[steps[0]] = p.Value
			continue
		}
		section, _ := root[steps[0]].(map[string]any)
		if section == nil {
			section = map[string]any{}
			root[steps[0]] = section
		}
		if len(steps) == 2 {
			section[steps[1]] = p.Value
			continue
		}
		list, _ := section[steps[1]].([]any)
		if p.Op == "add" {
			section[steps[1]] = append(list, p.Value)
			continue
		}
		var index int
		json.Unmarshal([]byte(steps[2]), &index)
		section[steps[1]] = append(list[:index:index], list[index+1:]...)
	}
	b, err := json.Marshal(root)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}
