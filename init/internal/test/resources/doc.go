// Package resources lets servers use up what their limits give them, and checks that each is stopped there, that the
// host goes on meanwhile, and that the report says what happened. It has tests only.
//
// Where the launcher's group can be divided its limits are those of control groups, else rlimits. The first needs a
// root that has the controllers, as in the machines of scripts/kernels: there the tests make groups themselves and
// delegate them to the uid that their launchers have. MCP_SANDBOX_REQUIRE=cgroup says that it has to be so.
package resources
