package fsview

import (
	"strings"
	"testing"
)

func TestCertificates(t *testing.T) {
	for _, c := range []struct {
		name, tree, env string
		wish            wish
		implied         string
		err             error
		warning         string
	}{
		{name: "file", tree: "ca.pem", env: "NODE_EXTRA_CA_CERTS=T/ca.pem", implied: "T/ca.pem"},
		{name: "link", tree: "a/ca.pem\n l -> a/ca.pem", env: "SSL_CERT_FILE=T/l", implied: "T/a/ca.pem"},
		{name: "folders", tree: "a/ca.pem\n b/", env: "SSL_CERT_DIR=T/a:T/b:T/none", implied: "T/a\n T/b"},
		{name: "missing", env: "SSL_CERT_FILE=T/none"},
		{name: "folder instead of a file", tree: "a/", env: "SSL_CERT_FILE=T/a"},
		{name: "relative", tree: "ca.pem", env: "SSL_CERT_FILE=ca.pem"},
		{name: "the home", env: "SSL_CERT_DIR=T/home", warning: "SSL_CERT_DIR T/home: holds more than certificates and is not shown"},
		{name: "an ancestor", env: "SSL_CERT_DIR=/tmp", warning: "SSL_CERT_DIR /tmp: holds more than certificates and is not shown"},
		{name: "the server's link", tree: "secret\n p/l -> ../secret", env: "SSL_CERT_FILE=T/p/l", wish: wish{write: []string{"T/p"}}, err: ErrLink},
		{name: "a link of a read grant", tree: "ca\n p/l -> ../ca", env: "SSL_CERT_FILE=T/p/l", wish: wish{read: []string{"T/p"}}, implied: "T/ca"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, "home/\n"+c.tree)
			r := c.wish.request(root)
			r.Env = append(r.Env, strings.ReplaceAll(c.env, "T/", root+"/"))
			r.Dir = root
			v, err := Plan(r)
			if !checkError(t, err, c.err, root, "") {
				return
			}
			same(t, "implied", relative(root, v.Implied), lines(c.implied))
			same(t, "warnings", relative(root, v.Warnings), lines(c.warning))
		})
	}
}
