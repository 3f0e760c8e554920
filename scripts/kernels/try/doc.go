// Package try has the test that compares a machine with what a row of package matrix expects of it, in tests only.
//
// It runs in the guest of a row, as root, and starts launchers as the row's user in the row's place:
// mcp-sandbox-init, and a host that uses the library, which is the test binary again; and it asks mcp-sandbox doctor.
// What a report says of a server's control group it looks up itself. It says every difference. The expectation comes
// in the environment; without one the test is skipped, which in a guest is a failure. At last the test changes one
// thing of the expectation after the other and demands that each changed one does not hold.
package try
