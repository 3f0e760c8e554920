package diagnose

import (
	"errors"
	"slices"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// A hintRow is the hint for some refusals. Of several rows that match the first counts.
type hintRow struct {
	layers []order.Layer   // none: every layer
	op     string          // "": every step; a star at the end stands for any ending
	errnos []syscall.Errno // none: every errno, and none
	when   func(*order.Refusal, Circumstances) bool
	hint   string
}

// Hint is the remedy for a launch that failed with err, or "" without a remedy.
func Hint(err error, f Circumstances) string {
	r := (*order.Refusal)(nil)
	if !errors.As(err, &r) {
		r = &order.Refusal{Layer: order.Exec, Op: "start", Err: err}
	}
	tables := [][]hintRow{onLinux[:], withoutBarrier[:]}
	if f.OS != "linux" {
		tables = tables[1:]
	}
	for _, table := range tables {
		for i := range table {
			if table[i].matches(r, f) {
				return table[i].hint
			}
		}
	}
	return ""
}

// Hints are the hints of several refusals, each once.
func Hints(refusals []*order.Refusal, f Circumstances) string {
	var all []string
	for _, r := range refusals {
		if h := Hint(r, f); h != "" && !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	return strings.Join(all, "; ")
}

func (h *hintRow) matches(r *order.Refusal, f Circumstances) bool {
	prefix, open := strings.CutSuffix(h.op, "*")
	return (len(h.layers) == 0 || slices.Contains(h.layers, r.Layer)) &&
		(h.op == "" || h.op == r.Op || open && strings.HasPrefix(r.Op, prefix)) &&
		(len(h.errnos) == 0 || slices.Contains(h.errnos, errnoOf(r))) &&
		(h.when == nil || h.when(r, f))
}

// Conditions of rows.

func killedByFilter(r *order.Refusal, _ Circumstances) bool {
	killed, _ := errors.AsType[Killed](r.Err)
	return killed.Signal == sigsys
}

func withoutProc(r *order.Refusal, _ Circumstances) bool { return IsNoProc(r) }

func withHiddenProc(r *order.Refusal, _ Circumstances) bool { return hiddenProc(r) }

func withErrno(r *order.Refusal, _ Circumstances) bool { return errnoOf(r) != 0 }

func notThePrivateFolder(r *order.Refusal, _ Circumstances) bool { return r.Op != OpPrivate }

func isTraced(_ *order.Refusal, f Circumstances) bool { return f.Traced != nil && f.Traced() }

func asRoot(_ *order.Refusal, f Circumstances) bool { return f.Root }

// onNewKernel: the kernel has every call that confinement full needs, so a missing one is hidden.
func onNewKernel(_ *order.Refusal, f Circumstances) bool {
	return platform.KernelAtLeast(f.Kernel, 5, 12)
}

func onWindows(_ *order.Refusal, f Circumstances) bool { return f.OS == "windows" }

// ofDomains is of a policy that names hosts. The path of the refusal is the keys.
func ofDomains(r *order.Refusal, _ Circumstances) bool { return strings.Contains(r.Path, "Domains") }

func domainsOnWindows(r *order.Refusal, f Circumstances) bool {
	return onWindows(r, f) && ofDomains(r, f)
}
