// Package resources has servers exhaust their limits, and checks that each server is stopped there, that the host
// continues, and that the report has the event. The package has tests only.
//
// Where the launcher's group can be divided its limits are those of control groups, else rlimits. The first needs a
// root that has the controllers, as in the machines of scripts/kernels: there the tests make groups themselves and
// delegate them to the uid that their launchers have. MCP_SANDBOX_REQUIRE=cgroup says that it has to be so.
package resources
