package fsview

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// certificate is one in PEM as plant writes it.
func certificate(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/acme.pem")
	must(t, err)
	return strings.ReplaceAll(string(text), "\n", `\n`)
}

func TestCertificates(t *testing.T) {
	pem := certificate(t)
	const links = "link T/%[1]s -> /dev/certificatesT/%[1]s"
	for _, c := range []struct {
		name, tree, env string
		wish            wish
		implied         string // and so each of the view's files of certificates, if shown is empty
		shown           string // otherwise; names in the tree
		err             error
		warning         string
	}{
		{name: "file", tree: "ca.pem = PEM", env: "NODE_EXTRA_CA_CERTS=T/ca.pem", implied: "T/ca.pem"},
		{name: "file in the home", tree: "home/ca.pem = PEM", env: "NIX_SSL_CERT_FILE=T/home/ca.pem", implied: "T/home/ca.pem"},
		{name: "link", tree: "a/ca.pem = PEM\n l -> a/ca.pem", env: "SSL_CERT_FILE=T/l", implied: "T/a/ca.pem"},
		{name: "folders", tree: "a/ca.pem = PEM\n a/1234.0 -> ca.pem\n a/key.pem = KEY\n a/up -> ../key\n a/out -> ../x/ca.pem\n a/sub/ca.pem = PEM\n x/ca.pem = PEM\n" +
			"key = KEY\n b/ca = # Acme\\nKEYPEMKEY", env: "SSL_CERT_DIR=T/a:T/b:T/none", implied: "T/a\n T/b", shown: "a/1234.0\n a/ca.pem\n a/out\n b/ca"},
		{name: "a file of a folder", tree: "a/ca.pem = PEM\n a/b/ca.pem = PEM", env: "SSL_CERT_DIR=T/a\nSSL_CERT_FILE=T/a/ca.pem\nNODE_EXTRA_CA_CERTS=T/a/b/ca.pem",
			implied: "T/a\n T/a/b/ca.pem\n T/a/ca.pem", shown: "a/b/ca.pem\n a/ca.pem"},
		{name: "missing", env: "SSL_CERT_FILE=T/none"},
		{name: "a key", tree: "key = KEY", env: "SSL_CERT_FILE=T/key", warning: "SSL_CERT_FILE T/key: holds no certificate in PEM and is not shown"},
		{name: "a key and a hard link", tree: "key = KEY\n a/b", env: "SSL_CERT_DIR=T/a", warning: "SSL_CERT_DIR T/a: holds no certificate in PEM and is not shown"},
		{name: "folder instead of a file", tree: "a/ca.pem = PEM", env: "SSL_CERT_FILE=T/a", warning: "SSL_CERT_FILE T/a: is no file and is not shown"},
		{name: "file instead of a folder", tree: "ca.pem = PEM", env: "SSL_CERT_DIR=T/ca.pem", warning: "SSL_CERT_DIR T/ca.pem: is no folder and is not shown"},
		{name: "relative", tree: "ca.pem = PEM", env: "SSL_CERT_FILE=ca.pem"},
		{name: "a file of /proc", env: "SSL_CERT_FILE=/proc/self/environ\nSSL_CERT_DIR=/proc/self"},
		{name: "the home", tree: "home/ca.pem = PEM", env: "SSL_CERT_DIR=T/home", warning: "SSL_CERT_DIR T/home: holds more than certificates and is not shown"},
		{name: "an ancestor", env: "SSL_CERT_DIR=/tmp", warning: "SSL_CERT_DIR /tmp: holds more than certificates and is not shown"},
		{name: "the server's link", tree: "secret\n p/l -> ../secret", env: "SSL_CERT_FILE=T/p/l", wish: wish{write: []string{"T/p"}}, err: ErrLink},
		{name: "the server's link in a folder", tree: "secret = PEM\n a/ca.pem = PEM\n a/l -> ../p/l\n p/l -> ../secret", env: "SSL_CERT_DIR=T/a",
			wish: wish{write: []string{"T/p"}}, implied: "T/a", shown: "a/ca.pem"},
		{name: "a link of a read grant", tree: "ca = PEM\n p/l -> ../ca", env: "SSL_CERT_FILE=T/p/l", wish: wish{read: []string{"T/p"}}, implied: "T/ca"},
		{name: "granted", tree: "a/ca.pem = KEY", env: "SSL_CERT_FILE=T/a/ca.pem\nSSL_CERT_DIR=T/a", wish: wish{read: []string{"T/a"}}},
		{name: "a grant within", tree: "a/ca.pem = PEM\n a/more/x\n a/one = PEM", env: "SSL_CERT_DIR=T/a", wish: wish{read: []string{"T/a/more", "T/a/one"}},
			implied: "T/a", shown: "a/ca.pem"},
		{name: "denied", tree: "a/ca.pem = PEM\n b/ca.pem = PEM\n b/other = PEM", env: "SSL_CERT_FILE=T/a/ca.pem\nSSL_CERT_DIR=T/b", implied: "T/b",
			wish: wish{read: []string{"T/a"}, noRead: []string{"T/a/ca.pem", "T/b/ca.pem"}}, shown: "b/other"},
		{name: "below a denied folder", tree: "p/d/e/ca.pem = PEM\n p/d/ca.pem = PEM", env: "SSL_CERT_FILE=T/p/d/ca.pem\nSSL_CERT_DIR=T/p/d/e",
			wish: wish{read: []string{"T/p"}, noRead: []string{"T/p/d"}}},
		{name: "a link to no certificate", tree: "secret = KEY\n l -> secret\n d/x = KEY\n m -> d", env: "SSL_CERT_FILE=T/l\nSSL_CERT_DIR=T/m",
			warning: "SSL_CERT_DIR T/m: holds no certificate in PEM and is not shown\n SSL_CERT_FILE T/l: holds no certificate in PEM and is not shown"},
		{name: "the host's root", tree: "ca.pem = PEM", env: "SSL_CERT_FILE=T/ca.pem", wish: wish{host: true}, implied: "T/ca.pem"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, "home/\n"+strings.NewReplacer("PEM", pem, "KEY", `-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n`).Replace(c.tree))
			if strings.HasSuffix(c.name, "hard link") {
				must(t, os.Link(root+"/key", root+"/a/hard"))
				must(t, unix.Mkfifo(root+"/a/fifo", 0o600))
			}
			r := c.wish.request(root)
			r.Env = append(r.Env, lines(strings.ReplaceAll(c.env, "T/", root+"/"))...)
			r.Dir = root
			v, err := Plan(r)
			if !checkError(t, err, c.err, root, "") {
				return
			}
			build(t, v)
			same(t, "implied", relative(root, v.Implied), lines(c.implied))
			same(t, "certified", relative(root, v.Certified), lines(c.implied))
			same(t, "warnings", relative(root, v.Warnings), lines(c.warning))
			slices.Sort(v.Uncertified)
			same(t, "uncertified", relative(root, v.Uncertified), lines(c.warning))
			want := lines(c.shown)
			if c.shown == "" {
				want = lines(strings.ReplaceAll(c.implied, "T/", ""))
			}
			var shown, linked []string
			for _, n := range v.Nodes {
				switch {
				case n.Kind == File && policy.Below(n.Path, certificatesAt):
					shown = append(shown, strings.TrimPrefix(n.Path, certificatesAt+root+"/"))
					if one := strings.ReplaceAll(pem, `\n`, "\n"); n.Content != one || n.Mode != 0o444 {
						t.Errorf("%s, mode %o:\n%s", n.Path, n.Mode, n.Content)
					}
				case n.Kind == Link && policy.Below(n.Content, certificatesAt):
					linked = append(linked, strings.ReplaceAll("link "+n.Path+" -> "+n.Content, root, "T"))
				case n.Kind == Link && policy.Within(n.Path, root) && c.implied == "":
					t.Errorf("the link %s -> %s is shown", n.Path, n.Content)
				case n.Kind == Bind && policy.Within(n.Path, root) && c.wish.read == nil && c.wish.write == nil:
					t.Errorf("%s of the host is shown", n.Path)
				}
			}
			same(t, "files", shown, want)
			for i, name := range want {
				want[i] = fmt.Sprintf(links, name)
			}
			same(t, "links", linked, want)
		})
	}
}

// Without a root of its own the server gets copies, and variables that lead there.
func TestCertificateCopies(t *testing.T) {
	root := plant(t, strings.ReplaceAll("home/\n ca.pem = PEM\n a/ca.pem = PEM\n a/key\n granted/ca.pem = PEM", "PEM", certificate(t)))
	r := wish{read: []string{"T/granted"}}.request(root)
	r.Shared, r.Private = true, "/tmp/mcp-sandbox-X"
	r.Env = append(r.Env, "SSL_CERT_FILE="+root+"/ca.pem", "NODE_EXTRA_CA_CERTS="+root+"/granted/ca.pem", "SSL_CERT_DIR="+root+"/granted:"+root+"/a:/none")
	v, err := Plan(r)
	must(t, err)
	same(t, "variables", relative(root, v.Env), []string{"SSL_CERT_FILE=/tmp/mcp-sandbox-X/certificates/0/ca.pem",
		"SSL_CERT_DIR=T/granted:/tmp/mcp-sandbox-X/certificates/1:/none"})
	same(t, "implied", relative(root, v.Implied), []string{"T/a", "T/ca.pem"})
	same(t, "certified", v.Certified, []string{"/tmp/mcp-sandbox-X/certificates"})
	var got []string
	for i, files := range v.Copies {
		for _, n := range files {
			got = append(got, fmt.Sprint(i, " ", n.Path, " ", strings.Count(n.Content, "BEGIN CERTIFICATE")))
		}
	}
	same(t, "copies", got, []string{"0 ca.pem 1", "1 ca.pem 1"})
	if !slices.ContainsFunc(v.Nodes, func(n Node) bool { return n.Path == v.Certified[0] && n.Kind == Bind && !n.Write }) {
		t.Error("no rule for the copies")
	}
	for _, n := range v.Nodes {
		if policy.Within(n.Path, root) && n.Path != root+"/granted" {
			t.Errorf("%s of the host can be read", n.Path)
		}
	}
}

// What is read of a machine is bounded, and nothing blocks.
func TestManyCertificates(t *testing.T) {
	pem := strings.ReplaceAll(certificate(t), `\n`, "\n")
	root := plant(t, "home/\n large/ca.pem\n huge/ca.pem\n full/ca.pem\n many/ca.pem\n some/x\n far/d/")
	write := func(name, text string, hole int64) {
		must(t, os.WriteFile(root+name, []byte(text), 0o644))
		if hole > 0 {
			must(t, os.Truncate(root+name, hole))
		}
	}
	write("/large/ca.pem", pem+strings.Repeat("#", maxCertificateFile-len(pem)), 0)
	write("/huge/ca.pem", pem, 1<<30)
	for i := range 3 {
		write(fmt.Sprint("/full/", i), pem, maxCertificateFile)
	}
	for i := range 1000 {
		write(fmt.Sprint("/some/", i), "", 0)
	}
	for i := range maxCertificateNames + 1 {
		write(fmt.Sprint("/many/", i), "", 0)
	}
	for i := range 60 {
		must(t, os.Symlink(strings.Repeat("d/../", 600)+"../some/0", fmt.Sprint(root, "/far/", i)))
	}
	must(t, os.Symlink(strings.Repeat("d/../", 600)+"../large/ca.pem", root+"/far/ca"))
	for env, want := range map[string]string{
		"SSL_CERT_DIR=T/far":           "SSL_CERT_DIR T/far: has, with those before, too many links on the way and is not shown",
		"SSL_CERT_FILE=T/far/ca":       "",
		"SSL_CERT_FILE=T/large/ca.pem": "",
		"SSL_CERT_FILE=T/huge/ca.pem":  "SSL_CERT_FILE T/huge/ca.pem: has more than 2M and is not shown",
		"SSL_CERT_DIR=T/huge":          "SSL_CERT_DIR T/huge: holds no certificate in PEM and is not shown",
		"SSL_CERT_DIR=T/full":          "SSL_CERT_DIR T/full: has, with those before, more than 4M or 1024 files and is not shown",
		"SSL_CERT_DIR=T/many":          "SSL_CERT_DIR T/many: has, with those before, more than 4096 files and is not shown",
		"SSL_CERT_DIR=T/some:T/some:T/some:T/some:T/some": "SSL_CERT_DIR T/some: has, with those before, more than 4096 files and is not shown\n " +
			"SSL_CERT_DIR T/some: holds no certificate in PEM and is not shown",
		"SSL_CERT_DIR=" + strings.Repeat("T/large:", maxCertificatePlace): "SSL_CERT_DIR with 65 folders: has more than 64 and is not shown",
	} {
		r := wish{}.request(root)
		r.Env = append(r.Env, strings.ReplaceAll(env, "T/", root+"/"))
		v, err := Plan(r)
		must(t, err)
		same(t, env, relative(root, v.Warnings), lines(want))
		if (len(v.Certified) > 0) != (want == "") {
			t.Errorf("%s: %q", env, v.Certified)
		}
	}
}
