//go:build !race

package testbed

const race = false
