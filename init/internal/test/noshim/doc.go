// Package noshim tests launches that a Go host makes without a shim process: what they miss, how they end, and what
// they leave of the host. The package has tests only.
package noshim
