package order

// Tried are the results of single system calls, each made once in a process of its own. A shim that was asked
// for the evidence alone sends this record to its host before the first line; no report has it.
type Tried struct {
	Event string `json:"event"`
	Calls []Call `json:"calls"`
}

// A Call is the name of a call and the symbol of its errno, such as "EPERM"; "" if it succeeded.
type Call struct {
	Name  string `json:"name"`
	Error string `json:"error,omitempty"`
}

// Names of the calls. A namespace is made together with a user namespace of its own.
const (
	TryUser     = "user namespace"
	TryMount    = "mount namespace"
	TryPID      = "pid namespace"
	TryIPC      = "ipc namespace"
	TryUTS      = "uts namespace"
	TryCgroup   = "cgroup namespace"
	TryNet      = "network namespace"
	TryLandlock = "landlock_create_ruleset"
	TryFilter   = "seccomp filter"
	TryListener = "seccomp listener"
)

// AppendJSON appends the record as one line.
func (t *Tried) AppendJSON(b []byte) []byte {
	w := record(b, "tried")
	objects(w, "calls", t.Calls, func(c *Call) {
		w.str("name", c.Name)
		w.some("error", c.Error)
	})
	return w.line()
}
