package notice

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// What a server with hosts lacks to trust them is named, what is not set, and flags that came too late; a path of the
// launcher's own names no cause.
func TestLastCauses(t *testing.T) {
	notice := func(kind order.NoticeKind, names ...string) (all []order.Notice) {
		for _, n := range names {
			all = append(all, order.Notice{Kind: kind, Name: n})
		}
		return all
	}
	for _, c := range []struct {
		name    string
		dropped string
		notices []order.Notice
		policy  policy.Policy
		want    string
	}{
		{"certificates", "REQUESTS_CA_BUNDLE", nil, policy.Policy{Network: policy.Network{AllowedDomains: []string{"a.example"}}}, "certificates of REQUESTS_CA_BUNDLE (--env, --allow-read)"},
		{"certificates in level network", "PIP_CERT", nil, policy.Policy{Level: policy.LevelNetwork}, "certificates of PIP_CERT (--env, --allow-read)"},
		{"certificates without hosts", "REQUESTS_CA_BUNDLE", nil, policy.Policy{}, ""},
		{"not set", "", notice(order.NoticeUnset, "X_TOKEN", "Y"), policy.Policy{}, "variables X_TOKEN, Y (not set here)"},
		{"dropped", "X_TOKEN Y", nil, policy.Policy{}, "variables X_TOKEN (--env)"},
		{"behind", "", notice(order.NoticeBehind, "--allow-read", "--allow-read"), policy.Policy{}, "--allow-read behind the command (write it in front)"},
		{"in this order", "X_TOKEN", append(notice(order.NoticeBehind, "--allow-read"), notice(order.NoticeUnset, "Y")...), policy.Policy{},
			"variables Y (not set here); variables X_TOKEN (--env); --allow-read behind the command (write it in front)"},
		{"lost and single", "", append(notice(order.NoticeLost, "/h/x"), notice(order.NoticeSingle, "/h/y")...), policy.Policy{}, ""},
	} {
		o := &order.Order{Command: []string{"server"}, Dropped: strings.Fields(c.dropped), Flags: order.Flags{Guided: true}}
		end := End{Exited: &order.Exited{Cause: order.CauseExit, ExitCode: 1}, Policy: &c.policy}
		_, causes, _ := strings.Cut(end.Line(o, &order.Enforced{Notices: c.notices}), ". Not given to it: ")
		if causes != c.want {
			t.Errorf("%s: %q, want %q", c.name, causes, c.want)
		}
	}
}

// Variables of certificates are known by their names.
func TestCertificates(t *testing.T) {
	for _, n := range strings.Fields("REQUESTS_CA_BUNDLE CURL_CA_BUNDLE AWS_CA_BUNDLE GIT_SSL_CAINFO CARGO_HTTP_CAINFO PIP_CERT DENO_CERT npm_config_cafile") {
		if !IsCertificate(n) {
			t.Errorf("%s names certificates", n)
		}
	}
	for _, n := range strings.Fields("SSL_KEY API_KEY CERTIFICATE_NAME CA") {
		if IsCertificate(n) {
			t.Errorf("%s names none", n)
		}
	}
}
