// Package tryout starts a server of an MCP host's file once, as the host would, and asks for its tools.
package tryout
