// Package cgroup makes a control group for one server in the unified hierarchy, cgroups(7), and removes the group
// again. Package layers, cgroup, proves the limits.
//
//	g := cgroup.Make(&cgroup.Request{Settings: cgroup.Settings(&policy.Limits), Own: own, Scope: scope})
//	defer g.Remove()
//
// The parent of the server's group is the nearest group without processes to which this process may write. Second comes
// this process's own group, if it holds no process of another program: then this process moves into a group below it.
// Third comes a scope of systemd's. The host is never moved.
//
// A limit that the machine cannot give is a [Setting] with a Reason. A group that could not be made is a [Group] with a
// Reason. Neither is an error: the report says which limit is absent.
//
// A lock on the group's folder says that its launcher lives. Where the lock is free the launcher was killed; the next
// launch kills the processes of that group and removes it.
//
// A server is born in its group by CLONE_INTO_CGROUP of clone3(2), Linux 5.7.
package cgroup
