// Package endings tries every way in which a launch can end, from outside: nothing outlives its host, and every
// ending is told. It has tests only. They are hosts themselves, of servers embedded by package launcher and of
// mcp-sandbox-init, and find what survives by a mark that every process of a sandbox bears.
package endings
