package runtimes

// A Runtime is a program that servers are written for, and how little it starts with.
type Runtime struct {
	Name     string
	programs string // base names, between spaces
	measured string // versions
	heavy    int    // the first major version that takes what is enough of memory, and not the least; 0: none does
	needs    [needs]need
}

// A need is how much of a limit a runtime takes until a small server has answered initialize.
type need struct {
	least  int64 // with less none of the measured versions starts; 0: each starts with the least that a policy may say
	enough int64 // with this every one starts
	hangs  bool  // with too little the runtime can wait for ever
}

// The columns of the table.
const (
	data   = iota // memory, as RLIMIT_DATA for each process
	memory        // memory, as memory.max of a control group
	pids
	openFiles
	fileSize
	addressSpace
	needs
)

// table is what scripts/least measured on 2026-11-22 with two processors of amd64, on Linux 6.18, and the column memory
// on Linux 6.12 in a virtual machine. least is the lowest number of all versions and settings, enough the highest one.
// More processors take more threads and more memory, never less. A real server needs more than the small one that was
// started.
//
//	go run ./scripts/least node=/opt/node-v24/bin/node npx=/usr/bin/npx java-small=/usr/bin/java \
//		python3 java go deno bun
//
// npm, pnpm, yarn, uv and uvx were not measured: they are programs of the runtimes whose rows they stand in, or start
// one. npx was not measured with a control group. What files take of a group's memory is given back in need, so most
// runtimes start with the 16M that a policy has to give.
func table() [7]Runtime {
	const k, m = 1 << 10, 1 << 20
	return [...]Runtime{
		{"npx", "npx npx-cli", "npm 11.19 with node 20.20 22 24", 0, [needs]need{
			data: {118 * m, 640 * m, true}, pids: {18, 23, true}, openFiles: {21, 21, false},
			addressSpace: {768 * m, 1216 * m, true}}},
		{"node", "node nodejs npm npm-cli pnpm yarn", "18.20 20.20 22 24 26", 24, [needs]need{
			data: {49 * m, 576 * m, true}, pids: {6, 11, true}, openFiles: {18, 19, false},
			addressSpace: {360 * m, 1152 * m, true}}},
		{"python", "python uv uvx", "3.11 3.13, also by pyenv's script", 0, [needs]need{
			pids: {0, 6, true}, openFiles: {4, 6, false}, addressSpace: {24 * m, 25 * m, false}}},
		{"java", "java", "17, also with -XX:+UseSerialGC -Xmx16m -Xint", 0, [needs]need{
			data: {39 * m, 488 * m, false}, memory: {20 * m, 20 * m, false}, pids: {12, 20, false},
			openFiles: {5, 5, false}, addressSpace: {1408 * m, 4096 * m, false}}},
		{"deno", "deno", "2.9.6", 0, [needs]need{
			data: {560 * m, 560 * m, false}, memory: {21 * m, 21 * m, false}, pids: {4, 4, false},
			openFiles: {21, 21, false}, fileSize: {2496 * k, 2496 * k, false},
			addressSpace: {33792 * m, 33792 * m, false}}},
		{"bun", "bun bunx", "1.4.5", 0, [needs]need{
			data: {264 * m, 264 * m, false}, openFiles: {6, 6, false}, addressSpace: {368 * m, 368 * m, false}}},
		{goProgram, "", "1.26.8, with and without cgo", 0, [needs]need{
			data: {41 * m, 108 * m, false}, pids: {4, 5, false}, addressSpace: {688 * m, 736 * m, false}}},
	}
}

// goProgram is the runtime that has no name of its own, but a note in the file.
const goProgram = "a Go program"
