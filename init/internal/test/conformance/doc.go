// Package conformance has the official conformance suite of MCP tried on servers and clients in sandboxes whose policy
// names domains, and has tests only.
//
// The suite is @modelcontextprotocol/conformance of testdata/npm. Bun runs it, because the suite needs Node 22 and
// Debian 12 has Node 18. It is tried on the Go SDK's programs for the suite, and on server-everything. Each is tried
// without a sandbox too, and the results are compared check by check. The tests run in the world of
// scripts/testbed/world, where all ports that the kernel hands out fit in one list.
package conformance
