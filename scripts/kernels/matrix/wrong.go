package matrix

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A Wrong is an expectation with one thing changed, so that it must not hold where the original does.
type Wrong struct {
	What string
	Expectation
}

// Wrongs are all of them: the proof that a row can fail.
func (e *Expectation) Wrongs() []Wrong {
	all := []Wrong{{What: "kernel"}, {What: "uid"}, {What: "abi"}, {What: "outcome"}}
	for i := range all {
		all[i].Expectation = *e
	}
	all[0].Kernel = "2.6."
	all[1].UID++
	all[2].LandlockABI++
	add := func(what string, change func(*Expectation)) {
		w := Wrong{what, *e}
		change(&w.Expectation)
		all = append(all, w)
	}
	if e.Confinement == "" {
		all[3].Confinement, all[3].Refused = "full", Refusal{}
		add("layer", func(w *Expectation) { w.Refused.Layer = order.Seccomp })
		add("op", func(w *Expectation) { w.Refused.Op = "mount" })
		add("errno", func(w *Expectation) { w.Refused.Errno++ })
		add("hint", func(w *Expectation) { w.Refused.Hint = "buy another machine" })
		return all
	}
	all[3].Confinement, all[3].Refused = "", Refusal{order.Namespaces, "clone", 1, "sysctl"}
	add("confinement", func(w *Expectation) {
		if w.Confinement = full; e.Confinement == full {
			w.Confinement = reduced
		}
	})
	add("group", func(w *Expectation) { w.Group = StrangeGroup })
	add("one limit more", func(w *Expectation) { w.Limits = append(slices.Clone(w.Limits), "cpu.max max") })
	for _, l := range order.Layers() {
		add("layer "+string(l), func(w *Expectation) {
			if i := slices.Index(w.Absent, l); i >= 0 {
				w.Absent = slices.Delete(slices.Clone(w.Absent), i, i+1)
			} else {
				w.Absent = append(slices.Clone(w.Absent), l)
			}
		})
	}
	add("one lacking more", func(w *Expectation) { w.Lacking = append(slices.Clone(w.Lacking), "root: roof") })
	if len(e.Limits) > 0 {
		add("one limit less", func(w *Expectation) { w.Limits = w.Limits[1:] })
	}
	if len(e.Lacking) > 0 {
		add("one lacking less", func(w *Expectation) { w.Lacking = w.Lacking[1:] })
	}
	return all
}
