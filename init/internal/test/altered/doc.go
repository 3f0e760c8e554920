// Package altered has launches whose program a test alters: a call replaced by one that does nothing, a machine that
// lacks something, evidence that is not what came back. The test binary is the shim. Tests alone import the package.
package altered
