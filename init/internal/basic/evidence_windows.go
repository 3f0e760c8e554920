package basic

import (
	"errors"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/windows"
)

// evidence reads back what holds the server, which has not run yet.
func (s *server) evidence() (map[order.Layer]*order.LayerReport, error) {
	limits, err := s.limits()
	if err != nil {
		return nil, &order.Refusal{Layer: order.Limits, Op: "read back", Err: err}
	}
	handles, err := s.inherited()
	if err != nil {
		return nil, &order.Refusal{Layer: order.Descriptors, Op: "read back", Err: err}
	}
	return map[order.Layer]*order.LayerReport{order.Limits: {Facts: limits}, order.Descriptors: {Facts: handles}}, nil
}

// untold is the reason for what nobody can read back.
const untold = "this system takes the limit and does not tell it"

// limits compares the jobs with what follows from the policy: not with what was set, which may be another thing.
func (s *server) limits() ([]order.Fact, error) {
	want, err := newHold(s.plan)
	if err != nil {
		return nil, err
	}
	var facts []order.Fact
	for _, j := range [...]struct {
		name string
		job  windows.Handle
	}{{"in the inner job", s.inner}, {"in the outer job", s.outer}} {
		in, err := inJob(s.process, j.job)
		if err != nil {
			return nil, err
		}
		facts = append(facts, order.Fact{Name: j.name, Want: "true", Got: strconv.FormatBool(in)})
	}
	told := tells()
	fact := func(name, want, got, effect string) {
		f := order.Fact{Name: name, Want: want, Got: got}
		if !told {
			f.Got, f.Reason, f.Effect = "", untold, effect
		}
		facts = append(facts, f)
	}
	var inner, outer windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	err = askJob(s.inner, windows.JobObjectExtendedLimitInformation, &inner)
	if err = errors.Join(err, askJob(s.outer, windows.JobObjectExtendedLimitInformation, &outer)); err != nil {
		return nil, err
	}
	w, g := &want.Limits.BasicLimitInformation, &inner.BasicLimitInformation
	const may = "it may not hold"
	fact("flags of the inner job", hex(w.LimitFlags), hex(g.LimitFlags), "processes may outlive a launcher that was killed, or break away")
	fact("flags of the outer job", hex(want.Outer), hex(outer.BasicLimitInformation.LimitFlags), "processes may outlive a launcher that was killed")
	if w.LimitFlags&windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS != 0 {
		fact("processes", number(w.ActiveProcessLimit), number(g.ActiveProcessLimit), may)
	}
	if w.LimitFlags&windows.JOB_OBJECT_LIMIT_JOB_MEMORY != 0 {
		fact("memory", number(want.Limits.JobMemoryLimit), number(inner.JobMemoryLimit), may)
	}
	if w.LimitFlags&windows.JOB_OBJECT_LIMIT_JOB_TIME != 0 {
		fact("cpu time", number(w.PerJobUserTimeLimit/1e7), number(g.PerJobUserTimeLimit/1e7), may)
	}
	if want.UI != 0 {
		facts = append(facts, s.set("user interface", hex(want.UI), func() (string, error) {
			var ui uint32
			err := askJob(s.inner, windows.JobObjectBasicUIRestrictions, &ui)
			return hex(ui), err
		}))
	}
	if want.Rate > 0 {
		facts = append(facts, s.set("cpu rate", number(want.Rate), func() (string, error) {
			var r cpuRate
			err := askJob(s.inner, windows.JobObjectCpuRateControlInformation, &r)
			return number(r.rate), err
		}))
	}
	return append(facts, s.absent()...), nil
}

// set is the fact of a limit that may have been refused, or that cannot be asked for.
func (s *server) set(name, want string, ask func() (string, error)) order.Fact {
	for _, f := range s.lost {
		if f.Name == name {
			f.Want = want
			return f
		}
	}
	got, err := ask()
	if err != nil {
		return order.Fact{Name: name, Want: want, Reason: "it cannot be read back: " + err.Error(), Effect: "it may not hold"}
	}
	return order.Fact{Name: name, Want: want, Got: got}
}

// absent are the limits that Windows does not have.
func (s *server) absent() (facts []order.Fact) {
	add := func(name string, n int64, limited bool) {
		if limited {
			facts = append(facts, order.Fact{Name: name, Want: number(n), Reason: "Windows has no such limit", Effect: "it is not limited"})
		}
	}
	l := &s.plan.limits
	n, limited := l.OpenFiles.Value()
	add("open files", int64(n), limited)
	n2, limited := l.FileSize.Value()
	add("file size", n2, limited)
	n2, limited = l.AddressSpace.Value()
	add("address space", n2, limited)
	return facts
}

// inherited shows that the server has the three handles and not another one that it could have inherited as well.
func (s *server) inherited() ([]order.Fact, error) {
	theirs := func(h windows.Handle) (copied windows.Handle, err error) {
		err = windows.DuplicateHandle(s.process, h, windows.CurrentProcess(), &copied, 0, false, windows.DUPLICATE_SAME_ACCESS)
		return copied, err
	}
	given := 0
	for _, h := range s.handles {
		if c, err := theirs(h); err == nil {
			windows.CloseHandle(c)
			given++
		}
	}
	facts := []order.Fact{{Name: "standard handles", Want: "3", Got: strconv.Itoa(given)}}
	leaked := false
	if c, err := theirs(s.canary); err == nil {
		// The server may have a handle of that value to something else: then setting ours does not set it.
		windows.SetEvent(s.canary)
		r, err := windows.WaitForSingleObject(c, 0)
		leaked = err == nil && r == windows.WAIT_OBJECT_0
		windows.CloseHandle(c)
	}
	facts = append(facts, order.Fact{Name: "an inheritable handle that it was not given", Want: "not there", Got: "not there"})
	if leaked {
		facts[1].Got = "there"
	}
	if s.plan.umask != "" {
		facts = append(facts, order.Fact{Name: "umask", Want: string(s.plan.umask), Reason: "Windows has none", Effect: "files get the rights of their folder"})
	}
	return facts, nil
}

func hex(n uint32) string { return "0x" + strconv.FormatUint(uint64(n), 16) }

func number[T ~int64 | ~uint32 | ~uintptr](n T) string { return strconv.FormatInt(int64(n), 10) }
