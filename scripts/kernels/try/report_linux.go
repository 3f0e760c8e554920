package main

import (
	"encoding/json"
	"fmt"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

// read takes in one line of a report.
func read(o *matrix.Observed, line []byte) error {
	var head struct{ Event string }
	err := json.Unmarshal(line, &head)
	if err == nil {
		switch head.Event {
		case "enforced":
			err = json.Unmarshal(line, &o.Enforced)
		case "refused":
			err = json.Unmarshal(line, &o.Refused)
		}
	}
	if err != nil {
		return fmt.Errorf("report: %q: %w", line, err)
	}
	return nil
}
