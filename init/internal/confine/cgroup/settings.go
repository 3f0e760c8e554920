package cgroup

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Setting is one file of a server's group.
type Setting struct {
	Controller string
	File       string
	Device     string // "8:0", for a file with a line for each block device
	Value      string // is written
	Want       string // the kernel has to show
	Reason     string // why the setting is absent
	Effect     string // the consequence of that
	Inherited  bool   // Value is the lower limit of the launcher's group, not the policy's
}

// Settings are the files for a policy's limits.
func Settings(l *policy.Limits) []Setting {
	var list []Setting
	if n, limited := l.Memory.Value(); limited {
		page := int64(os.Getpagesize())
		limit := strconv.FormatInt(max(n, int64(policy.LeastMemory))/page*page, 10)
		list = append(list, setting("memory", "max", limit, "memory is limited by RLIMIT_DATA for each process"),
			setting("memory", "swap.max", "0", "what was swapped out does not count as memory"),
			setting("memory", "oom.group", "1", "where memory runs out one process is ended and not all of them"))
	}
	if n, limited := l.Pids.Value(); limited {
		list = append(list, setting("pids", "max", strconv.FormatInt(n, 10),
			"processes are limited by RLIMIT_NPROC, where that counts this sandbox alone"))
	}
	if milli, limited := l.CPU.Value(); limited {
		list = append(list, setting("cpu", "max", cpuMax(milli), "the rate of CPU time is not limited"))
	}
	return list
}

// setting is a setting whose file shows the value that was written.
func setting(controller, file, value, effect string) Setting {
	return Setting{Controller: controller, File: controller + "." + file, Value: value, Want: value, Effect: effect}
}

// cpuMax is a rate of CPU time as the text of cpu.max: quota and period in microseconds. The kernel refuses a quota
// below 1000, so the lowest rates have the longest period that the kernel takes.
func cpuMax(milli int64) string {
	period := int64(100000)
	if milli < 10 {
		period = 1000000
	}
	return strconv.FormatInt(milli*period/1000, 10) + " " + strconv.FormatInt(period, 10)
}

// IO are the settings of limits.io, one for each block device.
func IO(rate int64, devices []string) (list []Setting) {
	n := strconv.FormatInt(rate, 10)
	file := Setting{Controller: "io", File: "io.max", Effect: "the rate of reading and writing is not limited"}
	for _, file.Device = range devices {
		file.Value = file.Device + " rbps=" + n + " wbps=" + n
		file.Want = file.Value + " riops=max wiops=max"
		list = append(list, file)
	}
	if len(list) == 0 {
		file.Want, file.Reason = n+" bytes per second", "no grant lies on a block device"
		list = append(list, file)
	}
	return list
}

// Name is a setting's name in a report.
func (s *Setting) Name() string { return strings.TrimSuffix(s.File+" "+s.Device, " ") }

// controllers are the controllers that a list of settings needs, each once.
func controllers(list []Setting) []string {
	var names []string
	for i := range list {
		if s := &list[i]; s.Reason == "" && !slices.Contains(names, s.Controller) {
			names = append(names, s.Controller)
		}
	}
	return names
}

// markAbsent gives every setting of a controller a reason.
func markAbsent(list []Setting, controller, reason string) {
	for i := range list {
		if list[i].Controller == controller {
			list[i].Reason = reason
		}
	}
}
