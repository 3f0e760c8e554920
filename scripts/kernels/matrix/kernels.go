package matrix

import "github.com/security-mcp/mcp-sandbox/scripts/kernels/debian"

// Kernels are Debian's by the names that rows use. Those of other suites than the machine's own are not always served.
func Kernels() map[string]debian.Source {
	return map[string]debian.Source{
		"5.10": {Package: "linux-image-cloud-amd64", Release: "5.10.", Suite: "bullseye"},
		"6.1":  {Package: "linux-image-cloud-amd64", Release: "6.1."},
		"6.12": {Package: "linux-image-6.12-cloud-amd64", Release: "6.12."},
		"7.3":  {Package: "linux-image-cloud-amd64", Release: "7.3.", Suite: "trixie-backports"},
	}
}
