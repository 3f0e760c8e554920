package manual

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/schema"
)

// Nothing of a text has a meaning for roff, at the beginning of a line or in it.
func TestRoff(t *testing.T) {
	p := Page{Name: "a-b", Section: "1", Short: `say "x\y"`, Synopsis: []string{"a b --c [D...]", "a e"},
		Text:  ".so /etc/passwd\n'br\n\n  .. 'x' ~\n  --f\n\nuse --g.\n",
		Flags: []Flag{{Text: "OPTIONS"}, {Text: "Files"}, {"--f", "FILE", ".de \\x ✓"}}, Examples: "  .a -- b\n", Also: []string{"c-d(1)", "e(5)"}}
	const want = `.TH "A-B" "1" "2026-11-24" "mcp-sandbox v1" "mcp-sandbox"
.SH "NAME"
a\-b \- say \(dqx\ey\(dq
.SH "SYNOPSIS"
\fBa\fR b \-\-c [D...]
.br
\fBa\fR e
.SH "DESCRIPTION"
\&.so /etc/passwd \(aqbr
.PP
.RS 4
.nf
\&.. \(aqx\(aq \(ti
\-\-f
.fi
.RE
.PP
use \-\-g.
.SH "OPTIONS"
.SS "Files"
.TP
\fB\-\-f\fR \fIFILE\fR
\&.de \ex \[u2713]
.SH "EXAMPLES"
.RS 4
.nf
\&.a \-\- b
.fi
.RE
.SH "SEE ALSO"
\fBc\-d\fR(1),
\fBe\fR(5)
`
	if got := p.Roff(Build{"v1", "2026-11-24"}); got != want {
		t.Errorf("%s", got)
	}
	if p.File() != "a-b.1" || p.Reference() != "a-b(1)" {
		t.Error(p.File(), p.Reference())
	}
}

// Every key and each kind of value has its entry, in the order of the policy.
func TestPolicy(t *testing.T) {
	p, err := Policy(schema.JSON())
	if err != nil {
		t.Fatal(err)
	}
	entries := map[string]Flag{}
	for _, f := range p.Flags {
		if f.Term != "" && (f.Text == "" || entries[f.Term].Text != "") {
			t.Errorf("%s: %q", f.Term, f.Text)
		}
		entries[f.Term] = f
	}
	for _, key := range policy.Keys() {
		if kind := entries[key].Value; kind == "" || strings.Contains(kind, "null") {
			t.Errorf("%s: %+v", key, entries[key])
		}
		delete(entries, key)
	}
	for term, want := range map[string]string{"filesystem": "object", "network": "object", "subprocess": "object", "limits": "object",
		"seccomp": "object", "version": "1", "": ""} {
		if entries[term].Value != want {
			t.Errorf("%s: %+v", term, entries[term])
		}
		delete(entries, term)
	}
	if len(entries) < 5 { // domain, grant, path
		t.Error(entries)
	}
	if _, err := Policy([]byte("{")); err == nil {
		t.Error("no schema is no error")
	}
}

// Each page has a date, which is that of the commit wherever the build knows one.
func TestDateOfPages(t *testing.T) {
	for _, c := range []struct{ commit, version, want string }{
		{"2026-11-24T03:11:47Z", "v1.2.3", "2026-11-24"},
		{"", "v0.0.0-20261127101010-0123456789ab", "2026-11-27"},
		{"", "v1.2.4-0.20261127101010-0123456789ab+dirty", "2026-11-27"},
		{"", "v1.2.3", written}, {"", "devel", written},
	} {
		if got := dateOf(c.commit, c.version); got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.commit, c.version, got, c.want)
		}
	}
}
