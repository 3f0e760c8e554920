package shim

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/coverwatch"
)

// hostedCovers has the covers of a launch in a host watched; [launch.Covers].
type hostedCovers struct{ *hosted }

// Open opens init's mount namespace. The runner that lays a cover again is the parent's child.
func (w hostedCovers) Open(s *launch.Sandbox) (err error) {
	if w.renames, err = coverwatch.NewRenames(w.waiter.Rouse); err != nil {
		return err
	}
	m := w.monitor
	m.covers, err = coverwatch.New(coverwatch.Config{Covers: s.View.Covers, Machine: s.Machine, Init: s.Init.PID,
		Ended: func() bool { return s.Ended(0) }, Lost: m.policyLost, Alter: m.alterRepair,
		Renames: w.renames, Lay: w.of.parent.Lay})
	return err
}

// Watch begins to watch, before the table of mounts is compared.
func (w hostedCovers) Watch(s *launch.Sandbox, table int) (warnings []string, err error) {
	requestShortSlice(s.Init.PID)
	return w.monitor.covers.Watch(table)
}

// Close ends the watch.
func (w hostedCovers) Close() {
	w.monitor.covers.Close()
	w.monitor.covers = nil
	w.renames.Close()
	w.renames = nil
}

// lookAtCovers handles the changes since the last turn of the loop.
func lookAtCovers(p *hosted) {
	m := p.monitor
	if p.renames != nil && p.renames.Came() {
		m.signals.renamed.onSignal()
	}
	if p.renames != nil && p.renames.Mounted() {
		m.covers.OnMount()
	}
	if p.of.parent.Laid() {
		m.covers.RunnerEnded()
	}
}

// registerRenames has the covers looked at when a folder changes. The host computes too, so what the looks take is the
// time that they last.
func registerRenames(m *monitor) {
	var used time.Duration
	timed := func(f func()) func() {
		return func() {
			began := time.Now()
			f()
			used += time.Since(began)
		}
	}
	again := func() {
		if !m.covers.Again() {
			m.signals.renamed.again.Set(time.Now().Add(mostPause))
		}
	}
	m.signals.renamed = flood{hold: func() {}, let: timed(again), clock: func() time.Duration { return used }}
	m.signals.renamed.register(&m.loop, timed(m.covers.OnRename))
}
