package cgroup

import (
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Setting is one file of a server's group.
type Setting struct {
	Controller string // the file is there only with it
	File       string
	Device     string // of a file that has a line for each: "8:0"
	Value      string // what is written
	Want       string // what the kernel is to show then
	Got        string // what it shows; see [Group.ReadBack]
	Reason     string // why it could not be had, if so
	Effect     string // and what follows from that
	Inherited  bool   // Value is not the policy's: the launcher's own group has less
}

// leastMemory is below what the kernel needs to execute anything.
const leastMemory = 16 << 20

// Settings follow from the policy. There are none for what it does not limit.
func Settings(l *policy.Limits) []Setting {
	var list []Setting
	if n, limited := l.Memory.Value(); limited {
		page := int64(os.Getpagesize())
		list = append(list, plain("memory", "max", strconv.FormatInt(max(n, leastMemory)/page*page, 10), "memory is limited by RLIMIT_DATA for each process"),
			plain("memory", "swap.max", "0", "what was swapped out does not count as memory"),
			plain("memory", "oom.group", "1", "where memory runs out one process is ended and not all of them"))
	}
	if n, limited := l.Pids.Value(); limited {
		list = append(list, plain("pids", "max", strconv.FormatInt(n, 10), "processes are limited by RLIMIT_NPROC, where that counts this sandbox alone"))
	}
	if milli, limited := l.CPU.Value(); limited {
		list = append(list, plain("cpu", "max", share(milli), "the rate of CPU time is not limited"))
	}
	return list
}

// plain is a setting that the kernel shows as it was written.
func plain(controller, file, value, effect string) Setting {
	return Setting{Controller: controller, File: controller + "." + file, Value: value, Want: value, Effect: effect}
}

// share is a rate of CPU time as cpu.max has it: microseconds in each period. The kernel takes no quota below 1000, so
// the smallest shares have the longest period that it takes.
func share(milli int64) string {
	period := int64(100000)
	if milli < 10 {
		period = 1000000
	}
	return strconv.FormatInt(milli*period/1000, 10) + " " + strconv.FormatInt(period, 10)
}

// IO are the settings of limits.io, one for each block device.
func IO(rate int64, devices []string) []Setting {
	if len(devices) == 0 {
		return []Setting{{Controller: "io", File: "io.max", Want: strconv.FormatInt(rate, 10) + " bytes per second",
			Reason: "no grant lies on a block device", Effect: noRate}}
	}
	list := make([]Setting, len(devices))
	for i, d := range devices {
		list[i] = limitIO(d, rate)
	}
	return list
}

// limitIO is a rate for one block device.
func limitIO(device string, rate int64) Setting {
	n := strconv.FormatInt(rate, 10)
	value := device + " rbps=" + n + " wbps=" + n
	return Setting{Controller: "io", File: "io.max", Device: device, Value: value, Want: value + " riops=max wiops=max", Effect: noRate}
}

const noRate = "the rate of reading and writing is not limited"

// Name is what a report calls a setting.
func (s *Setting) Name() string {
	if s.Device != "" {
		return s.File + " " + s.Device
	}
	return s.File
}

// controllers are the names that a list of settings needs, each once.
func controllers(list []Setting) []string {
	var names []string
	for i := range list {
		if name := list[i].Controller; list[i].Reason != "" {
			continue
		} else if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// refused marks every setting of a controller as one that could not be had.
func refused(list []Setting, controller, reason string) {
	for i := range list {
		if list[i].Controller == controller {
			list[i].Reason = reason
		}
	}
}
