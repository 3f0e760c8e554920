// Package limitsonly is the shim of systems without Linux's barriers: the confinement is "limits", as the report says.
//
//	code := limitsonly.Run(limitsonly.Config{Order: o, Host: -1, Say: say})
//
// The server gets limits (a Job Object on Windows, setrlimit(2) elsewhere), a private folder for its temporary
// files and its home, the variables that the policy names and no descriptor but the first three; and everything
// it started ends with it, with the shim, and with the host. There is no barrier for files, network or system
// calls, and the report calls each of those layers absent. The order of a launch is that of Linux: the server
// is started and held, the limits are read back, the report is written, and only then does the server run.
//
// Code without system calls is the same on each system and is tested on Linux, where the part for macOS runs
// too. Neither real macOS nor real Windows has run it yet: docs/systems.md.
package limitsonly
