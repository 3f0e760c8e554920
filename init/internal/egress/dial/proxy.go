package dial

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"
)

// A Proxy is the company's, and the names that are dialled without. The zero value is none.
type Proxy struct {
	socks          bool
	host           string // a name or an address, without brackets
	port           uint16
	user, password string
	login          bool // user and password were given
	exceptions     exceptions
	variable       string // that names it
}

// ProxyFrom reads https_proxy, HTTPS_PROXY, all_proxy or ALL_PROXY, the first that is not empty, and no_proxy or
// NO_PROXY, as golang.org/x/net/http/httpproxy does: a proxy is [http://][USER:PASSWORD@]HOST[:PORT], or socks5h://…
// or socks5://…, which are both asked by name. Another one is an error that names the variable and nothing of its
// value.
func ProxyFrom(env func(string) string) (Proxy, error) {
	for _, name := range [...]string{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"} {
		value := env(name)
		if value == "" {
			continue
		}
		p, err := parseProxy(value)
		if err != nil {
			return Proxy{}, errors.New(name + ": " + err.Error())
		}
		except := env("no_proxy")
		if except == "" {
			except = env("NO_PROXY")
		}
		p.exceptions, p.variable = parseExceptions(except), name
		return p, nil
	}
	return Proxy{}, nil
}

// Address is HOST:PORT of the value of a proxy's variable, also of a proxy that programs speak to and this package does
// not; "" for other values.
func Address(value string) string {
	p, err := parseProxy(value)
	if _, rest, ok := strings.Cut(value, "://"); ok && errors.Is(err, errScheme) {
		p, err = parseProxy(rest)
	}
	if err != nil && !errors.Is(err, errHTTPS) {
		return ""
	}
	return p.String()
}

// Variable is the name of the variable in which the proxy stands.
func (p Proxy) Variable() string { return p.variable }

// IsSet reports whether there is a proxy.
func (p Proxy) IsSet() bool { return p.host != "" }

// Uses reports whether a host, a canonical name or an address without brackets, is dialled by the proxy. The host's own
// loopback never is.
func (p Proxy) Uses(host string, port uint16) bool {
	return p.IsSet() && !p.exceptions.have(host, port)
}

// String is HOST:PORT, without the name and the password.
func (p Proxy) String() string {
	if !p.IsSet() {
		return ""
	}
	return joinPort(p.host, p.port)
}

// GoString is String: %#v shows no password either.
func (p Proxy) GoString() string { return p.String() }

var (
	errHTTPS  = errors.New("an https:// proxy is not spoken to, only http:// and socks5h://")
	errScheme = errors.New("only http:// and socks5h:// proxies are spoken to")
	errProxy  = errors.New("not a proxy of the form http://HOST:PORT or socks5h://HOST:PORT")
	errLogin  = errors.New("a name or password of a proxy that cannot be sent")
)

func parseProxy(value string) (p Proxy, err error) {
	p.port = 80
	scheme, rest, ok := strings.Cut(value, "://")
	if !ok {
		scheme, rest = "http", value
	}
	var unspoken error
	switch strings.ToLower(scheme) {
	case "http":
	case "socks5", "socks5h":
		p.socks, p.port = true, 1080
	case "https":
		unspoken, p.port = errHTTPS, 443
	default:
		return Proxy{}, errScheme
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		if err := p.setLogin(rest[:i]); err != nil {
			return Proxy{}, err
		}
		rest = rest[i+1:]
	}
	if err := p.setHost(rest); err != nil {
		return Proxy{}, err
	}
	return p, unspoken
}

func (p *Proxy) setLogin(text string) error {
	user, password, _ := strings.Cut(text, ":")
	var ok, ok2 bool
	p.user, ok = unescape(user)
	p.password, ok2 = unescape(password)
	p.login = true
	if !ok || !ok2 || p.socks && (len(p.user) > 255 || len(p.password) > 255) || len(text) > 4096 {
		return errLogin
	}
	return nil
}

// setHost takes HOST[:PORT], where HOST is a name, an IPv4 address, or an IPv6 address in brackets.
func (p *Proxy) setHost(text string) error {
	host, port, found := splitPort(text)
	if !found {
		host, port = text, ""
		if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			host = text[1 : len(text)-1]
		}
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return errProxy
		}
		p.port = uint16(n)
	}
	p.host = strings.ToLower(strings.TrimSuffix(host, "."))
	if a, err := netip.ParseAddr(p.host); err == nil && (a.Is4() || strings.HasPrefix(text, "[")) {
		return nil
	}
	if !isName(p.host) {
		return errProxy
	}
	return nil
}

// isName reports whether the text can stand in a request as a host: labels of letters, digits, and -_ of ASCII.
func isName(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if !('a' <= c && c <= 'z' || '0' <= s[i] && s[i] <= '9' || s[i] == '-' || s[i] == '_' || s[i] == '.') {
			return false
		}
	}
	return 0 < len(s) && len(s) <= 253 && !strings.Contains("."+s+".", "..")
}

// unescape takes the percent-encoding of RFC 3986 away.
func unescape(s string) (string, bool) {
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		n, err := strconv.ParseUint(s[i+1:i+3], 16, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(n))
		i += 2
	}
	return string(b), true
}

// joinPort is HOST:PORT, with brackets around an IPv6 address.
func joinPort(host string, port uint16) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + strconv.Itoa(int(port))
}
