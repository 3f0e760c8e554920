package userbus

// The manager, and the bus itself.
var (
	hello     = call{"org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello", ""}
	addMatch  = call{"org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", "s"}
	subscribe = call{manager, managerPath, managerInterface, "Subscribe", ""}
	startUnit = call{manager, managerPath, managerInterface, "StartTransientUnit", "ssa(sv)a(sa(sv))"}
)

const (
	manager          = "org.freedesktop.systemd1"
	managerPath      = "/org/freedesktop/systemd1"
	managerInterface = "org.freedesktop.systemd1.Manager"
	jobRemoved       = "JobRemoved"
	match            = "type='signal',sender='" + manager + "'," +
		"interface='" + managerInterface + "',member='" + jobRemoved + "'"
)

// scopeBody is the body of StartTransientUnit: a scope with these processes, that may divide its group, and that is
// forgotten when they have ended, however they did.
func scopeBody(unit string, pids []int) []byte {
	w := new(writer)
	w.str(unit)
	w.str("fail")
	w.array(8, func() {
		w.property("Description", "s", func() { w.str("mcp-sandbox") })
		w.property("Delegate", "b", func() { w.u32(1) })
		w.property("CollectMode", "s", func() { w.str("inactive-or-failed") })
		w.property("PIDs", "au", func() {
			w.array(4, func() {
				for _, pid := range pids {
					w.u32(uint32(pid))
				}
			})
		})
	})
	w.array(8, func() {})
	return w.b
}

func stringBody(s string) []byte {
	w := new(writer)
	w.str(s)
	return w.b
}
