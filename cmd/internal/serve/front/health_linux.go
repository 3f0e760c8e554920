package front

import (
	"net/http"
	"strconv"
)

// health answers what a supervisor asks.
func (f *front) health(w http.ResponseWriter, r *http.Request) bool {
	switch {
	case r.URL.Path == "/healthz", r.URL.Path == "/readyz" && !f.House.Draining():
		reply(w, http.StatusOK, "", "ok")
	case r.URL.Path == "/readyz":
		reply(w, http.StatusServiceUnavailable, "", "draining")
	default:
		return false
	}
	return true
}

// describe says where tokens come from; RFC 9728.
func (f *front) describe(w http.ResponseWriter, r *http.Request) {
	reply(w, http.StatusOK, "application/json", `{"resource":`+strconv.Quote(base(r)+path)+`,"authorization_servers":[`+
		strconv.Quote(f.Issuer)+`],"bearer_methods_supported":["header"]}`)
}

// base is this server's address as the client wrote it.
func base(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
