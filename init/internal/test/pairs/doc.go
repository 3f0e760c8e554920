// Package pairs tests attacks of a server on the sockets that the launcher makes for it, and has tests only.
package pairs
