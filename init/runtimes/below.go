package runtimes

import (
	"math/bits"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Shortage is a limit that is less than a runtime takes to start.
type Shortage struct {
	Key     string // of the policy: "limits.memory"
	Limit   string // as the policy writes it
	Least   string // with less no measured version starts
	Enough  string // with this every measured version starts
	Advice  string // Enough, rounded up
	Certain bool   // Limit is below Least; else it is below Enough, and the version decides
	runtime string
	hangs   bool
}

// Below compares limits with what the runtime takes. For a line at the start limits are those that the policy or a flag
// names, so before the level's defaults, and only what is [Shortage.Certain] is worth one. Of a server that ended
// before its first answer the effective limits may be asked for. grouped is whether a control group holds the memory;
// that takes less than RLIMIT_DATA does, so it is true also where nobody knows yet. A nil Runtime takes nothing.
func (r *Runtime) Below(limits *policy.Limits, grouped bool) []Shortage {
	if r == nil {
		return nil
	}
	ram := data
	if grouped {
		ram = memory
	}
	var all []Shortage
	compare := func(key string, column int, limit int64, text func(int64) string) {
		n := r.needs[column]
		if limit <= 0 || limit >= n.enough { // not named, unlimited, or enough
			return
		}
		all = append(all, Shortage{
			Key: "limits." + key, Limit: text(limit),
			Least: text(n.least), Enough: text(n.enough), Advice: text(roundUp(n.enough)),
			Certain: limit < n.least, runtime: r.Name, hangs: n.hangs,
		})
	}
	compare("memory", ram, int64(limits.Memory), size)
	compare("pids", pids, int64(limits.Pids), count)
	compare("openFiles", openFiles, int64(limits.OpenFiles), count)
	compare("fileSize", fileSize, int64(limits.FileSize), size)
	compare("addressSpace", addressSpace, int64(limits.AddressSpace), size)
	return all
}

// roundUp goes to the next multiple of a quarter of the power of two below n: from 11 to 12, from 576M to 640M.
func roundUp(n int64) int64 {
	step := max(1, int64(1)<<bits.Len64(uint64(n))>>3)
	return (n + step - 1) / step * step
}

func size(n int64) string  { return policy.Quantity(n).String() }
func count(n int64) string { return strconv.FormatInt(n, 10) }

// Line is the shortage as a person reads it. name is what the limit is called where it was written: "--memory" for a
// flag, or the key.
func (s Shortage) Line(name string) string {
	if !s.Certain {
		return name + " " + s.Limit + " can be too little: some versions of " + s.runtime + " need " + s.Enough +
			" to start; write at least " + name + " " + s.Advice
	}
	return name + " " + s.Limit + " is less than " + s.runtime + " needs to start (" + s.Least + "): " + s.then() +
		name + " " + s.Advice
}

// DefaultLine is the shortage of memory that nobody named, and that a level has.
func (s Shortage) DefaultLine(level string) string {
	return "level " + level + " has memory " + s.Limit + " for each process, and " + s.runtime + " needs " + s.Least +
		" to start: " + s.then() + "--memory " + s.Advice
}

// then is what comes of a shortage.
func (s Shortage) then() string {
	if s.hangs {
		return "the server would hang, or end before it answers; write at least "
	}
	return "the server would end before it answers; write at least "
}
