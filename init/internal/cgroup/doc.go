// Package cgroup makes a control group for one server in the unified hierarchy, cgroups(7), and takes it away again.
//
//	g := cgroup.Make(&cgroup.Request{Settings: cgroup.Settings(&policy.Limits), Own: own, Scope: scope})
//	defer g.Remove()
//
// The group is made below the nearest group without processes that this process may divide; or below its own if nobody else is
// in that, and then this process moves down; or in a scope of systemd's. The host is never moved. What a machine cannot give is
// a [Setting] with a Reason, and a group that could not be made at all is a [Group] with one. Neither is an error: a limit that
// is absent is told, not refused.
//
// A group is held by a lock on its folder. If the lock is free a killed launcher left the group, and the next launch ends
// what runs there and removes it.
//
// For the server to be born in its group takes Linux 5.7; CLONE_INTO_CGROUP in clone(2).
package cgroup
