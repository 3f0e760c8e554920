package entrypolicy

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
)

// FileName is the name of the policy's file for a server of this name. where names the host's file and the place in
// that, which a host with several of them may use for different servers of one name; "" stands for the first.
//
// A name that could be that of another file, on a file system without capital letters too, is made safe and has a sum
// behind it.
func FileName(server, where string) string {
	plain := regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`).MatchString(server)
	summed := regexp.MustCompile(`-[0-9a-f]{12}$`).MatchString(server)
	if plain && !summed && where == "" && !reserved(server) {
		return server + ".json"
	}
	safe := regexp.MustCompile(`[^a-z0-9_-]+`).ReplaceAllString(server, "-")
	if len(safe) > 40 {
		safe = safe[:40]
	}
	sum := sha256.Sum256([]byte(where + "\x00" + server))
	return safe + "-" + hex.EncodeToString(sum[:6]) + ".json"
}

// reserved reports whether Windows takes a name for a device, whatever follows a dot.
func reserved(name string) bool {
	return regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`).MatchString(name)
}
