package platform

// standardNames are the descriptors that a server is handed.
var standardNames = [...]string{"input", "output", "error"}

// sharedError is a report's descriptor that leads to what the server has at this number.
type sharedError int

func (std sharedError) Error() string {
	return "this is the server's standard " + standardNames[std] + ", by which the server could forge the report: " +
		"give the report a file or a pipe of its own"
}
