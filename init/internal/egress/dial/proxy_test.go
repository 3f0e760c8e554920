package dial

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/http/httpproxy"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestProxyFrom(t *testing.T) {
	for value, want := range map[string]string{
		"http://proxy.corp:3128":                        "proxy.corp:3128",
		"http://proxy.corp:3128/":                       "proxy.corp:3128",
		"HTTP://Proxy.Corp.:3128?x#y":                   "proxy.corp:3128",
		"proxy.corp:3128":                               "proxy.corp:3128",
		"proxy.corp":                                    "proxy.corp:80",
		"http://proxy.corp:":                            "proxy.corp:80",
		"user:s3cret@proxy.corp":                        "proxy.corp:80",
		"http://user:s3c%40ret@proxy.corp:1":            "proxy.corp:1",
		"http://us@er:s3cret@proxy.corp:1":              "proxy.corp:1",
		"socks5://proxy.corp":                           "proxy.corp:1080",
		"socks5h://u:s3cret@10.0.0.1:9":                 "10.0.0.1:9",
		"http://[2001:db8::1]:3128":                     "[2001:db8::1]:3128",
		"http://[2001:db8::1]":                          "[2001:db8::1]:80",
		"https://user:s3cret@proxy.corp":                "an https:// proxy is not spoken to, only http:// and socks5h://",
		"socks4://proxy.corp":                           "only http:// and socks5h:// proxies are spoken to",
		"user:s3cret://@proxy.corp":                     "only http:// and socks5h:// proxies are spoken to",
		"http://":                                       "not a proxy of the form",
		"http://user:s3cret@":                           "not a proxy of the form",
		"http://user:s3cret@proxy corp":                 "not a proxy of the form",
		"http://user:s3cret@proxy.corp:x":               "not a proxy of the form",
		"http://proxy.corp:0":                           "not a proxy of the form",
		"http://proxy.corp:65536":                       "not a proxy of the form",
		"http://proxy\r\nX: y":                          "not a proxy of the form",
		"http://2001:db8::1":                            "not a proxy of the form",
		"http://[proxy.corp":                            "not a proxy of the form",
		"http://user:s3cret%zz@proxy.corp":              "cannot be sent",
		"http://user:s3cret%4@proxy.corp":               "cannot be sent",
		"socks5://u:" + strings.Repeat("s", 256) + "@h": "cannot be sent",
	} {
		p, err := ProxyFrom(env("HTTPS_PROXY", value))
		got := p.String()
		if err != nil {
			got = err.Error()
			if !strings.HasPrefix(got, "HTTPS_PROXY: ") {
				t.Errorf("%s: %s names no variable", value, got)
			}
		}
		if (err == nil && got != want) || !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", value, got, want)
		}
		if shown := fmt.Sprintf("%s %v %+v %#v %v", got, p, p, p, &p); strings.Contains(shown, "s3c") || strings.Contains(shown, "user") {
			t.Errorf("%s: shows %s", value, shown)
		}
	}
}

func TestProxyLogin(t *testing.T) {
	for value, want := range map[string]string{
		"http://user:s3c%40ret@h": "user s3c@ret true",
		"http://us@er:p:q@h":      "us@er p:q true",
		"http://user@h":           "user  true",
		"http://@h":               "  true",
		"http://h":                "  false",
	} {
		p, err := ProxyFrom(env("https_proxy", value))
		if got := fmt.Sprint(p.user, " ", p.password, " ", p.login); err != nil || got != want {
			t.Errorf("%s: got %s, %v", value, got, err)
		}
	}
}

func TestProxyVariables(t *testing.T) {
	order := []string{"https_proxy", "a", "HTTPS_PROXY", "b", "all_proxy", "c", "ALL_PROXY", "d"}
	for i := range 4 {
		p, err := ProxyFrom(env(order[2*i:]...))
		if want := order[2*i+1] + ":80"; err != nil || p.String() != want {
			t.Errorf("got %v, %v, want %s", p, err, want)
		}
	}
	if p, err := ProxyFrom(env("HTTP_PROXY", "a", "NO_PROXY", "*")); err != nil || p.IsSet() || p.String() != "" || p.Uses("a.example", 443) {
		t.Errorf("got %v, %v", p, err)
	}
	p, _ := ProxyFrom(env("HTTPS_PROXY", "a", "no_proxy", "x.example", "NO_PROXY", "y.example"))
	if p.Uses("x.example", 443) || !p.Uses("y.example", 443) {
		t.Error("no_proxy does not come first")
	}
}

// uses compares with golang.org/x/net/http/httpproxy.
func uses(t *testing.T, except, host string, port uint16) bool {
	t.Helper()
	p, err := ProxyFrom(env("HTTPS_PROXY", "http://proxy.corp:3128", "NO_PROXY", except))
	if err != nil {
		t.Fatal(err)
	}
	reference := (&httpproxy.Config{HTTPSProxy: "http://proxy.corp:3128", NoProxy: except}).ProxyFunc()
	to, err := reference(&url.URL{Scheme: "https", Host: net.JoinHostPort(host, strconv.Itoa(int(port)))})
	if err != nil {
		t.Fatal(err)
	}
	got := p.Uses(host, port)
	if want := to != nil; got != want {
		t.Errorf("NO_PROXY=%q, %s port %d: by proxy %v, httpproxy says %v", except, host, port, got, want)
	}
	return got
}

func TestExceptionsAsHTTPProxy(t *testing.T) {
	hosts := []string{"localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "10.1.2.3", "::ffff:10.1.2.3", "192.0.2.7",
		"2001:db8::7", "fe80::1%eth0", "fe80::1", "example.com", "a.example.com", "b.a.example.com", "notexample.com", "com", "x"}
	seen := map[bool]int{}
	for _, except := range []string{
		"", "*", " * ", "example.com", ".example.com", "*.example.com", "EXAMPLE.com", "*example.com", "*", "a,*", "com", ".com", "*.", ".", "*", "**.example.com",
		"example.com:443", "example.com:80", ".example.com:443", "*.example.com:443", "example.com:", ":443", "10.0.0.0/8", "10.1.2.3/8",
		"10.1.2.3/08", "10.1.2.3/33", "10.1.2.3/", "10.1.2.3/+8", "::ffff:10.0.0.0/104", "::ffff:10.0.0.0/96", "::ffff:10.0.0.0/64", "::/0", "0.0.0.0/0",
		"2001:db8::/32", "10.1.2.3", "10.1.2.3:443", "10.1.2.3:80", "[2001:db8::7]", "[2001:db8::7]:443", "2001:db8::7", "[2001:db8::7]:80",
		"fe80::1", "fe80::1%eth0", "fe80::/10", "::ffff:10.1.2.3", "10.1.2", "x, example.com ,y", "a.example.com.", "[example.com]:443", "[example.com", "example.com]",
		"[[x]]:1", "x:443:443", "/8", "a/8", "127.0.0.1", "localhost",
	} {
		for _, host := range hosts {
			seen[uses(t, except, host, 443)]++
		}
	}
	if seen[true] < 100 || seen[false] < 100 {
		t.Errorf("the table is of one side: %v", seen)
	}
}

func FuzzExceptions(f *testing.F) {
	f.Add("example.com,10.0.0.0/8,[::1]:443,*.x.y:80,.z", "a.example.com", uint16(443))
	f.Add("::ffff:10.0.0.0/104", "10.1.2.3", uint16(80))
	f.Fuzz(func(t *testing.T, except, host string, port uint16) {
		if a, err := netip.ParseAddr(host); err != nil && !isName(host) || err == nil && strings.ContainsAny(a.Zone(), "[]") {
			return
		}
		for i := range len(except) {
			if except[i] >= 0x80 {
				return
			}
		}
		uses(t, except, host, port)
	})
}

// A proxy is never one whose host could not stand in a request, and no error shows what was given.
func FuzzProxy(f *testing.F) {
	f.Add("http://user:password@proxy.corp:3128")
	f.Add("socks5h://[2001:db8::1]:1080")
	f.Fuzz(func(t *testing.T, value string) {
		p, err := ProxyFrom(env("ALL_PROXY", value))
		if err != nil {
			switch err.Error() {
			case "ALL_PROXY: " + errHTTPS.Error(), "ALL_PROXY: " + errScheme.Error(), "ALL_PROXY: " + errProxy.Error(), "ALL_PROXY: " + errLogin.Error():
			default:
				t.Fatalf("%q: %v", value, err)
			}
			return
		}
		if !p.IsSet() {
			if value != "" {
				t.Fatalf("%q is no proxy and no error", value)
			}
			return
		}
		if _, err := netip.ParseAddr(p.host); err != nil && !isName(p.host) || p.port == 0 || p.socks && len(p.user) > 255 {
			t.Fatalf("%q: %q", value, p.host)
		}
		again, err := ProxyFrom(env("ALL_PROXY", p.String()))
		if err != nil || again.host != p.host || again.port != p.port {
			t.Fatalf("%q: %v is read as %v, %v", value, p, again, err)
		}
	})
}
