// Package testbed is what the tests of several packages share: programs of testdata/ built for them, folders that every
// uid may enter, machines that lack something.
//
//	func TestMain(m *testing.M) { reexec.Init(); os.Exit(testbed.Run(m)) }
//
//	func TestSession(t *testing.T) {
//		server := testbed.Program(t, "server-go")
//		folder := testbed.Folder(t)
//
// Everything it hands out can be read and executed by every uid, for a root launcher gives its server another one.
// It is for tests, the bench and the demo, and is linked into no program of the product.
package testbed

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// scratch is the folder of this test run; Run makes and removes it.
var scratch string

// Run is m.Run with a scratch folder around it. Call it last in TestMain, after reexec.Init.
func Run(m *testing.M) int {
	Machines()
	dir, err := os.MkdirTemp("", "mcp-sandbox-testbed-")
	if err == nil {
		err = os.Chmod(dir, 0o755) // MkdirTemp's 0700 is for one uid
	}
	if err != nil {
		println("testbed:", err.Error())
		return 1
	}
	scratch = dir
	defer os.RemoveAll(dir)
	os.Setenv("GORACE", raceOptions)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // else launchers of tests under nohup(1) would ignore it too
	return m.Run()
}

// Patience is how long a test waits for what should have happened long before: a minute, or MCP_SANDBOX_PATIENCE in an
// emulated machine, which is slower.
func Patience() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("MCP_SANDBOX_PATIENCE")); err == nil {
		return d
	}
	return time.Minute
}

const raceOptions = "atexit_sleep_ms=0"

// NoWait is for the environment of a launcher that does not inherit this one: the end of a -race build would take a
// second.
const NoWait = "GORACE=" + raceOptions

// Scratch is a folder of this test run, gone with it, that every uid may enter and only this one may write.
func Scratch(tb testing.TB) string {
	tb.Helper()
	if scratch == "" {
		tb.Fatal("testbed: TestMain does not call testbed.Run")
	}
	return scratch
}

// Folder makes a folder below Scratch that every uid may write: a root launcher's server has another one. Unlike
// tb.TempDir's, no folder above it is closed.
func Folder(tb testing.TB) string {
	tb.Helper()
	return folder(tb, 0o777)
}

func folder(tb testing.TB, mode os.FileMode) string {
	tb.Helper()
	dir, err := os.MkdirTemp(Scratch(tb), "folder-")
	if err == nil {
		err = os.Chmod(dir, mode)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}

// Root is the folder of go.mod, found upwards from the working directory: that of a running test is its package's.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("go.mod: not in this folder nor above it")
		}
		dir = up
	}
}

func root(tb testing.TB) string {
	tb.Helper()
	dir, err := Root()
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}
