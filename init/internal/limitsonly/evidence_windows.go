package limitsonly

import (
	"errors"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/windows"
)

// evidence reads back the server's confinement, before the server runs.
func (s *server) evidence() (facts, error) {
	limits, err := s.jobs.facts(s.process, newLimits(s.plan))
	if err != nil {
		return nil, &order.Refusal{Layer: order.Limits, Op: "read back", Err: err}
	}
	return facts{order.Limits: append(limits, absentLimits(s.plan)...), order.Descriptors: s.handleFacts()}, nil
}

// facts compares the limits read from the jobs with those of the policy. The values passed to the jobs are no evidence.
func (j *jobs) facts(process windows.Handle, want *limits) ([]order.Fact, error) {
	var facts []order.Fact
	for _, one := range [...]struct {
		fact string
		job  windows.Handle
	}{{"in the inner job", j.inner}, {"in the outer job", j.outer}} {
		in, err := inJob(process, one.job)
		if err != nil {
			return nil, err
		}
		facts = append(facts, order.Fact{Name: one.fact, Want: "true", Got: strconv.FormatBool(in)})
	}
	reports := reportsLimits()
	add := func(name, want, got, effect string) {
		f := order.Fact{Name: name, Want: want, Got: got}
		if !reports {
			f.Got, f.Reason, f.Effect = "", "this system takes the limit and does not tell it", effect
		}
		facts = append(facts, f)
	}
	var inner, outer windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	err := queryJob(j.inner, windows.JobObjectExtendedLimitInformation, &inner)
	err = errors.Join(err, queryJob(j.outer, windows.JobObjectExtendedLimitInformation, &outer))
	if err != nil {
		return nil, err
	}
	w, g := &want.inner.BasicLimitInformation, &inner.BasicLimitInformation
	const outlive, mayNotHold = "processes may outlive a launcher that was killed", "it may not hold"
	add("flags of the inner job", hex(w.LimitFlags), hex(g.LimitFlags), outlive+", or break away")
	add("flags of the outer job", hex(want.outerFlags), hex(outer.BasicLimitInformation.LimitFlags), outlive)
	if w.LimitFlags&windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS != 0 {
		add("processes", number(w.ActiveProcessLimit), number(g.ActiveProcessLimit), mayNotHold)
	}
	if w.LimitFlags&windows.JOB_OBJECT_LIMIT_JOB_MEMORY != 0 {
		add("memory", number(want.inner.JobMemoryLimit), number(inner.JobMemoryLimit), mayNotHold)
	}
	if w.LimitFlags&windows.JOB_OBJECT_LIMIT_JOB_TIME != 0 {
		add("cpu time", number(w.PerJobUserTimeLimit/1e7), number(g.PerJobUserTimeLimit/1e7), mayNotHold)
	}
	if want.ui != 0 {
		var ui uint32
		err := queryJob(j.inner, windows.JobObjectBasicUIRestrictions, &ui)
		facts = append(facts, j.refusable("user interface", hex(want.ui), hex(ui), err))
	}
	if want.rate > 0 {
		var r cpuRate
		err := queryJob(j.inner, windows.JobObjectCpuRateControlInformation, &r)
		facts = append(facts, j.refusable("cpu rate", number(want.rate), number(r.rate), err))
	}
	return facts, nil
}

// refusable is the fact of a limit that the system may have refused to set, or that it does not report.
func (j *jobs) refusable(name, want, got string, err error) order.Fact {
	for _, f := range j.refused {
		if f.Name == name {
			f.Want = want
			return f
		}
	}
	f := order.Fact{Name: name, Want: want, Got: got}
	if err != nil {
		f.Got, f.Reason, f.Effect = "", "it cannot be read back: "+err.Error(), "it may not hold"
	}
	return f
}

// absentLimits are the facts of a policy's limits that Windows does not have.
func absentLimits(p *plan) (facts []order.Fact) {
	add := func(name string, n int64, limited bool) {
		if limited {
			facts = append(facts, order.Fact{Name: name, Want: number(n), Reason: "Windows has no such limit",
				Effect: "it is not limited"})
		}
	}
	l := &p.policy.Limits
	count, limited := l.OpenFiles.Value()
	add("open files", int64(count), limited)
	n, limited := l.FileSize.Value()
	add("file size", n, limited)
	n, limited = l.AddressSpace.Value()
	add("address space", n, limited)
	return facts
}

// handleFacts shows that the server has the three handles, and not the canary, which it could have inherited as well.
func (s *server) handleFacts() []order.Fact {
	given := 0
	for _, h := range s.handles {
		if c, err := copyHandle(s.process, h, false); err == nil {
			windows.CloseHandle(c)
			given++
		}
	}
	leaked := "not there"
	if c, err := copyHandle(s.process, s.canary, false); err == nil {
		// The server may have a handle of that value to something else, which setting the canary does not set.
		windows.SetEvent(s.canary)
		if r, err := windows.WaitForSingleObject(c, 0); err == nil && r == windows.WAIT_OBJECT_0 {
			leaked = "there"
		}
		windows.CloseHandle(c)
	}
	facts := []order.Fact{{Name: "standard handles", Want: "3", Got: strconv.Itoa(given)},
		{Name: "an inheritable handle that it was not given", Want: "not there", Got: leaked}}
	if umask := s.plan.policy.Umask; umask != "" {
		facts = append(facts, order.Fact{Name: "umask", Want: string(umask), Reason: "Windows has none",
			Effect: "files get the rights of their folder"})
	}
	return facts
}

// privateRequest asks for a private folder.
func privateRequest(ids) privdir.Request { return privdir.Request{Folders: privateFolders()} }

// stateOwner is the launcher's user, as every server's.
func (p *plan) stateOwner() (o state.Owner) { return o }

// privateFact reads back the access rights of the private folder.
func (p *plan) privateFact() order.Fact {
	const owner = "the owner"
	f := order.Fact{Name: "who may enter the private folder", Want: owner, Got: owner}
	others, err := p.private.Others()
	switch {
	case err != nil:
		f.Got, f.Reason = "", "its rights cannot be read: "+err.Error()
		f.Effect = "others may be able to enter"
	case len(others) > 0:
		f.Got = "also " + others[len(others)-1]
	}
	return f
}

func hex(n uint32) string { return "0x" + strconv.FormatUint(uint64(n), 16) }

func number[T ~int64 | ~uint32 | ~uintptr](n T) string { return strconv.FormatInt(int64(n), 10) }
