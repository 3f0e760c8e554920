package applecontainer

import (
	"crypto/sha256"
	"encoding/hex"
)

// sum names the policy in the report.
func sum(policy []byte) string {
	h := sha256.Sum256(policy)
	return hex.EncodeToString(h[:])
}
