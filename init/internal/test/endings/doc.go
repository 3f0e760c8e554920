// Package endings tries every way in which a launch can end, from outside: no process outlives its host, and
// every ending is reported. The tests are hosts themselves, of servers embedded by package launcher and of
// mcp-sandbox-init, and find survivors by a mark that every process of a sandbox bears.
package endings
