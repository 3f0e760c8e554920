package main

// A step is a command that must succeed.
type step struct {
	name   string
	what   string
	run    string // a shell's line, at the top of the checkout
	reads  string // the files that it reads, as git ls-files takes them
	head   bool   // it reads the commit that is checked out
	needs  need
	gate   bool   // every change must pass it
	within string // the step of everything that contains it
	beside string // the step before it, with which it runs at once
}

// Files that several steps read: what is compiled, with the test programs and data of it, and what suites of tests look
// at, among them the documents.
const (
	code = "go.mod go.sum Makefile scripts/go scripts/testbed scripts/npm-cache " +
		"cmd init launcher platform policy testdata"
	suite   = "."
	sources = code + " scripts .golangci.yml"
	guests  = code + " scripts/kernels scripts/stage docs"
	engines = code + " scripts/places scripts/kernels scripts/stage docs/deployment.md"
)

var steps = []step{
	{name: "build", gate: true, what: "the programs, and all tests compiled",
		run: "make build && ./scripts/compile", reads: sources},
	{name: "lint", gate: true, what: "gofmt, go mod tidy, golangci-lint with go vet, on Linux",
		run: "./scripts/lint linux", reads: sources},
	{name: "test", gate: true, within: "long", what: "make test, as an ordinary user in a clone of that user's",
		run: "./scripts/test-owned make test", reads: suite},
	{name: "test-root", gate: true, needs: root, what: "the packages in which root makes a difference, as root",
		run: "MCP_SANDBOX_TEST_PART=root ./scripts/test -short -p 2", reads: suite},
	{name: "test-race", gate: true, beside: "test-root", // each waits for one long package
		what: "the race detector in the packages in which one process does several things at once",
		run:  "make test-race", reads: suite},
	{name: "test-race-user", gate: true, needs: root,
		what: "the race detector in launches without a shim, which an ordinary user's hosts make",
		run:  "make test-race-user", reads: suite},
	{name: "sabotage", gate: true, within: "sabotages", what: "tests notice some faults in the product",
		run: "./scripts/go run ./scripts/sabotage -gate", reads: suite},
	{name: "run", gate: true, what: "make run",
		run: "make run", reads: code + " scripts/demo"},
	{name: "compile", gate: true, what: "everything compiled for the other systems, tests too",
		run: "./scripts/compile linux/arm64 darwin/arm64 windows/amd64", reads: sources},
	{name: "kernel", gate: true, within: "kernels", needs: debian,
		what: "Linux 6.1 and 6.12, as a user, with the quick tests",
		run:  "./scripts/go run ./scripts/kernels -quick -row '^6[.](1|12)-user$'", reads: guests},
	{name: "place", gate: true, within: "places", needs: debian, what: "a container of Docker's",
		run: "./scripts/go run ./scripts/places -only '^docker/a user$'", reads: engines},

	{name: "long", what: "the whole suite with its long forms, as an ordinary user in a clone of that user's",
		run: "./scripts/test-owned make test-long", reads: suite},
	{name: "long-root", needs: root, what: "the long forms where root makes a difference, as root",
		run: "MCP_SANDBOX_TEST_PART='root both' ./scripts/test -p 3", reads: suite},
	{name: "kernels", needs: debian, what: "all kernels",
		run: "make test-kernels", reads: guests},
	{name: "places", needs: debian, what: "containers of Docker's and podman's",
		run: "./scripts/go run ./scripts/places -only '^(docker|pod|podman)/'", reads: engines},
	{name: "units", needs: debian, what: "units of systemd's",
		run: "./scripts/go run ./scripts/places -only '^systemd/'", reads: engines},
	{name: "wine", needs: amd64, what: "the Windows tests under Wine",
		run: "make test-wine", reads: suite},
	{name: "dist", needs: sudo, what: "the archives of the commit, made twice and used",
		run: "make test-dist", head: true,
		reads: code + " scripts/dist scripts/test-dist scripts/kernels/debian LICENSE README.md"},
	{name: "profiles", what: "the server of each profile",
		run: "make test-profiles", reads: code + " scripts/profiles scripts/stage"},
	{name: "hosts", what: "MCP hosts whose files wrap changed",
		run: "make test-hosts", reads: code + " scripts/hosts scripts/stage"},
	{name: "lint-others", what: "lint for macOS and Windows, vet for arm64, and everything linked for macOS",
		run: "./scripts/lint darwin windows && ./scripts/vet", reads: sources},
	{name: "fuzz", what: "each fuzz target for 10 s",
		run: "./scripts/fuzz 10s", reads: code + " scripts/fuzz"},
	{name: "sabotages", what: "tests notice each fault of testdata/sabotages.txt",
		run: "./scripts/go run ./scripts/sabotage", reads: suite},
}

func (s *step) line() string {
	where := "check"
	if s.gate {
		where = "gate"
	}
	if s.needs != "" {
		where += ", needs " + string(s.needs)
	}
	return s.name + ": " + s.what + " (" + where + ")"
}
