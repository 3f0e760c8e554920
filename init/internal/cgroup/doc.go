// Package cgroup makes a control group for one server in the unified hierarchy, cgroups(7), and takes it away again.
//
//	g := cgroup.Make(&cgroup.Request{Settings: cgroup.Settings(&policy.Limits)})
//	defer g.Remove()
//
// The group is made below the nearest group without processes that this process may divide, or below its own where nobody
// else is in it, which then moves down, or in a scope of systemd's. The host is never moved. What a machine cannot give is a [Setting] with a Reason, and
// a group that could not be made at all a [Group] with one: never an error, for a limit that is absent is told and not refused.
//
// A group is held by a lock on its folder. A group of this package whose lock is free is what a killed launcher left: the
// next one that comes by ends what runs there and removes it.
//
// A group that the server is to be born in needs Linux 5.7; CLONE_INTO_CGROUP in clone(2).
package cgroup
