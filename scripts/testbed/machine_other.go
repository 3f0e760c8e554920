//go:build !linux

package testbed

import "os"

const machineArg = "testbed-machine-without"

func machine([]string) {
	println("testbed: machine: only Linux has what could be taken away")
	os.Exit(70)
}
