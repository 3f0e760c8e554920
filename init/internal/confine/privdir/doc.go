// Package privdir makes, fills and removes the private folder of a launch: the folders for /tmp and the home where
// the sandbox has no tmpfs of its own.
//
//	BASE/mcp-sandbox-RANDOM/   the launcher's, mode 0700, or 0711 where the server is another user
//	  a file                   that the proof of Landlock opens
//	  folders                  the server's, for its home and its temporary files
//
// A launcher locks the folder for as long as it or its init lives: the launcher of an unlocked folder was killed,
// and the next launch removes the folder. The lock is an flock(2), and on Windows a file opened exclusively.
//
// The server may write to its folders and chooses names, modes, links and counts there. So on Linux and macOS all is
// done through descriptors, without following symbolic links, and within a time. On Windows os.RemoveAll does the same.
package privdir
