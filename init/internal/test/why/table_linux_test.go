package why_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A layout is a policy and what is answered under it, a line each: op, path, "=>", the answer as told writes it.
type layout struct{ name, policy, answers string }

var layouts = []layout{
	{"nothing granted", `{}`, `
		read T/a/f => denied policy default private --allow-read T/a/f
		write T/a/f => denied policy default private --allow-write T/a/f
		exec T/a/run => denied policy default private --allow-read T/a/run
		read T/a/b => denied policy default private --allow-read T/a/b
		read T/a/none => denied missing default private
		write T/a/new => denied policy default private --allow-write T/a
		write T/a/none/new => denied missing default private
		read T/l/y => denied policy default private --allow-read T/l/y
		read T/home/notes/n => denied policy default private --allow-read T/home/notes/n
		exec T/a/x/odd => denied policy default private --allow-read T/a/x/odd --allow-read T/q/sh
		exec T/a/three => denied policy default private --allow-read T/a/three --allow-read T/a/two --allow-read T/a/x/run
		exec T/a/six => denied policy default private
		read T/a/x/../f => denied policy default private
		read /usr/bin/env => allowed default read-only
		exec /usr/bin/env => allowed default read-only
		read /etc/passwd => denied policy default generated --allow-read /etc/passwd
		read /proc/self/status => denied policy default generated
		read /sys/kernel => denied policy default absent
		read /nothing => denied missing default absent
		write /dev/null => allowed default host
		socket T/q/s => denied policy default private --allow-unix-socket T/q/s
		socket T/q/f => denied missing default private
		socket T/none => denied missing default private`},
	{"nested", `{"filesystem":{"allowRead":["T/a"],"allowWrite":["T/a/b/c"],"denyRead":["T/a/b","T/a/f"]}}`, `
		read T/a => allowed /filesystem/allowRead/0 read-only
		read T/a/b => denied policy /filesystem/denyRead/0 empty
		read T/a/b/g => denied policy /filesystem/denyRead/0 absent --allow-read T/a/b/g
		read T/a/b/c/d/e => allowed /filesystem/allowWrite/0 host
		write T/a/b/c/d/e => allowed /filesystem/allowWrite/0 host
		write T/a/b/c/new => allowed /filesystem/allowWrite/0 absent
		read T/a/link/d/e => allowed /filesystem/allowWrite/0 host
		read T/a/f => denied policy /filesystem/denyRead/1 empty
		write T/a/f => denied policy /filesystem/denyRead/1 empty
		write T/a/x/y => denied policy /filesystem/allowRead/0 read-only --allow-write T/a/x/y
		exec T/a/run => allowed /filesystem/allowRead/0 read-only
		read T/a/closed => denied permissions default read-only
		write T/a/readonly => denied permissions default read-only
		read T/a/locked/f => denied permissions default read-only
		socket T/a/locked/s => denied permissions default read-only
		read T/a/out => denied policy default private --allow-read T/a/out
		exec T/a/x/odd => denied policy default read-only --allow-read T/q/sh
		read T/a/loop => denied missing default absent
		read T/a/f/ => denied missing default absent
		read T/a/slash => denied missing default absent
		read T/a/x/ => allowed /filesystem/allowRead/0 read-only
		read T/a/x/y => allowed /filesystem/allowRead/0 read-only
		read T/a/x/y/ => denied missing default absent
		exec T/a/five => allowed /filesystem/allowRead/0 read-only
		exec T/a/six => denied permissions default read-only
		exec T/a/self => denied permissions default read-only
		exec T/a/near => denied permissions default read-only
		read /dev/ptmx => denied policy default generated`},
	{"written", `{"filesystem":{"allowWrite":["T/a"],"denyWrite":["T/a/b"]}}`, `
		write T/a/f => allowed /filesystem/allowWrite/0 host
		write T/a/b/g => denied policy /filesystem/denyWrite/0 read-only --allow-write T/a/b/g
		write T/a/b => denied policy /filesystem/denyWrite/0 read-only
		read T/a/b/g => allowed /filesystem/allowWrite/0 read-only
		read T/a/.git/config => allowed /filesystem/allowWrite/0 read-only
		write T/a/.git/config => denied policy default read-only --allow-write T/a/.git/config
		write T/a/.git/new => denied policy default absent --allow-write T/a/.git
		write T/a/f/ => denied missing default absent
		write T/a/slash => denied missing default absent
		write T/a/loop => denied missing default absent
		write T/a/loop/x => denied missing default absent
		write T/a/out => denied policy default private --allow-write T/q/f
		write T/q/f => denied policy default private --allow-write T/q/f`},
	{"protected", `{"filesystem":{"allowWrite":["T/home"]}}`, `
		write T/home/.bashrc => denied policy default read-only
		read T/home/.bashrc => allowed /filesystem/allowWrite/0 read-only
		write T/home/.ssh/id_rsa => denied policy default read-only
		write T/home/notes/n => allowed /filesystem/allowWrite/0 host
		write T/home/.config/mcp-sandbox/policies/p => denied policy default read-only`},
	{"a home that is read", `{"filesystem":{"allowRead":["T/home"]}}`, `
		read T/home/.config/mcp-sandbox/policies/p => denied policy default absent --allow-read T/home/.config/mcp-sandbox/policies/p
		read T/home/.config/mcp-sandbox => denied policy default empty --allow-read T/home/.config/mcp-sandbox
		read T/home/n/n => allowed /filesystem/allowRead/0 read-only`},
	{"strict", `{"level":"strict","filesystem":{"allowWrite":["T/a"]}}`, `
		read T/a/f => allowed /filesystem/allowWrite/0 read-only
		write T/a/f => denied policy /level read-only --level standard
		write T/q/f => denied policy default private --allow-write T/q/f --level standard
		write T/q/new => denied policy default private --allow-write T/q --level standard
		exec T/a/run => denied policy /level read-only --subprocess=true
		exec T/q/sh => denied policy default private --subprocess=true --allow-read T/q/sh
		exec T/a/x/odd => denied policy /level read-only --subprocess=true --allow-read T/q/sh`},
	{"one program", `{"subprocess":{"allow":false},"filesystem":{"allowRead":["T/a"]}}`, `
		exec T/a/run => denied policy /subprocess/allow read-only --subprocess=true
		read T/a/run => allowed /filesystem/allowRead/0 read-only`},
	{"the host is shown", `{"filesystem":{"default":"read","allowWrite":["T/q"],"denyRead":["T/a"]}}`, `
		read / => allowed /filesystem/default read-only
		read /usr => allowed /filesystem/default read-only
		read /sys/kernel => denied policy default absent
		read /run => denied policy default empty --allow-read /run
		read T/q/f => allowed /filesystem/allowWrite/0 host
		write T/q/new => allowed /filesystem/allowWrite/0 absent
		read T/a/f => denied policy /filesystem/denyRead/0 private --allow-read T/a/f
		read T/home => denied policy default private --allow-read T/home`},
	{"a home that lasts", `{"state":"why"}`, `
		read T/home/notes/n => denied policy default private --allow-read T/home/notes/n
		write T/home => denied policy default private`},
	{"a home that lasts and is denied", `{"state":"why","filesystem":{"denyRead":["T/home"],"allowRead":["T/a"]}}`, `
		read T/home/notes/n => denied policy /filesystem/denyRead/0 private --allow-read T/home/notes/n
		read T/home => denied policy /filesystem/denyRead/0 private`},
	{"the host's network", `{"level":"network"}`, `
		read /etc/hosts => allowed default read-only
		read /etc/passwd => denied policy default generated --allow-read /etc/passwd`},
	{"a socket", `{"network":{"allowUnixSockets":["-T/none","T/l/s"]}}`, `
		socket T/a/x/s => allowed /network/allowUnixSockets/1 read-only
		socket T/l/s => allowed /network/allowUnixSockets/1 read-only
		read T/a/x/s => denied permissions default read-only
		socket T/q/s => denied policy default private --allow-unix-socket T/q/s`},
	{"nothing confined", `{"level":"privileged"}`, `
		read T/a/f => allowed /level host
		write T/home/.bashrc => allowed /level host
		read T/none => denied missing default absent
		exec /proc/self/status => denied permissions default generated
		exec /dev/fd => denied permissions default generated
		socket T/q/s => allowed /level host`},
}

// told is an answer in one line: what is allowed, the reason, the entry, the sight, and the flags.
func told(a *order.Answer) string {
	words := []string{string(a.Allowed), string(a.Reason), a.By, string(a.Seen), strings.Join(a.Flags, " ")}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// The answers of each layout are as they stand here, as the attempt, and every suggested change lets the act happen.
func TestLayouts(t *testing.T) {
	w, rows := newWorld(t), 0
	for _, l := range layouts {
		t.Run(l.name, func(t *testing.T) {
			c := w.trial(t, w.policy(t, l.policy), "", nil, &rows)
			var want []string
			for line := range strings.SplitSeq(strings.TrimSpace(l.answers), "\n") {
				question, answer, _ := strings.Cut(strings.TrimSpace(line), " => ")
				op, path, _ := strings.Cut(question, " ")
				a := act{Path: w.at(path), Op: order.Op(op)}
				if op == "socket" {
					a = act{Path: a.Path, Socket: true}
				}
				c.acts, want = append(c.acts, a), append(want, strings.ReplaceAll(answer, "T/", w.root+"/"))
			}
			answers, err := c.answers()
			if err != nil {
				t.Fatal(err)
			}
			for i := range answers {
				if got := told(&answers[i]); got != want[i] {
					t.Errorf("%s %s%v: %s\nwant %s\n%s", c.acts[i].Op, c.acts[i].Path, c.acts[i].Socket, got, want[i], answers[i].Text)
				}
			}
			c.compare()
		})
	}
	t.Logf("%d rows", rows)
}

// policy is a document with the world's paths.
func (w *world) policy(t *testing.T, doc string) string {
	var fields map[string]any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(doc, "T/", w.root+"/")), &fields); err != nil {
		t.Fatal(err)
	}
	fields["version"] = 1
	b, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
