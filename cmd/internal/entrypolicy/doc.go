// Package entrypolicy makes the policy with which mcp-sandbox wrap confines a server of an MCP host's file: from the
// profile of its package, or from a level that the user named. A policy has names of variables and never a value.
package entrypolicy
