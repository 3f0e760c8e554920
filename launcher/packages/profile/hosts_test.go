package profile

import (
	"errors"
	"strings"
	"testing"
)

func TestHostsOf(t *testing.T) {
	for _, c := range []struct{ value, scheme, port, want string }{
		{"https://es.example.com", "", "", "es.example.com:443"},
		{"HTTPS://ES.Example.com./path?x=https://other.example.com", "", "", "es.example.com:443"},
		{"https://user:p%40ss@es.example.com:9243/x", "", "", "es.example.com:9243"},
		{"https://user:a@b@es.example.com", "", "", "es.example.com:443"},
		{"http://es.example.com?x", "", "", "es.example.com:80"},
		{`https://es.example.com\@other.example.com`, "", "", "es.example.com:443"}, // so URLs of the web are read
		{`mysql://u:p\w@db.example.com`, "", "", "db.example.com:3306"},
		{"wss://es.example.com#x", "", "", "es.example.com:443"},
		{"postgres://u:p@db.example.com/d", "", "", "db.example.com:5432"},
		{"postgresql://u:p@db.example.com:6543/d?sslmode=require", "", "", "db.example.com:6543"},
		{"postgresql://a.example.com:1,b.example.com/d", "", "", "a.example.com:1 b.example.com:5432"},
		{"mysql://db.example.com", "", "", "db.example.com:3306"},
		{"mongodb://u:p@a.example.com:27018,b.example.com/x", "", "", "a.example.com:27018 b.example.com:27017"},
		{"mongodb+srv://u:p@cluster0.abcde.mongodb.net/x", "", "", "*.abcde.mongodb.net:27017"},
		{"mongodb+srv://example.com/x", "", "", "example.com:27017"},
		{"rediss://:secret@cache.example.com", "", "", "cache.example.com:6379"},
		{"http://localhost:9200", "", "", "localhost:9200"},
		{"http://127.0.0.1:9200", "", "", "localhost:9200"},
		{"http://127.8.9.1:9200", "", "", "localhost:9200"},
		{"http://[::1]:9200/", "", "", "localhost:9200"},
		{"http://[::ffff:127.0.0.1]:9200/", "", "", "localhost:9200"},
		{"http://10.0.0.5:9200", "", "", "10.0.0.5:9200"},
		{"http://[2001:db8::1]", "", "", "[2001:db8::1]:80"},
		{"db.example.com", "mysql", "", "db.example.com:3306"},
		{"db.example.com", "mysql", "3307", "db.example.com:3307"},
		{"db.example.com:3308", "mysql", "3307", "db.example.com:3308"},
		{"http://169.254.169.254/latest", "", "", errNotNamed.Error()},
		{"http://[fd00:ec2::254]/", "", "", errNotNamed.Error()},
		{"http://100.100.100.200/", "", "", errNotNamed.Error()},
		{"http://0.0.0.0:80", "", "", errNotNamed.Error()},
		{"http://2130706433/", "", "", errNotNamed.Error()},
		{"http://dns.example.com:53", "", "", errNotNamed.Error()},
		{"http://es.example.com:99999", "", "", errNotNamed.Error()},
		{"http://*.example.com", "", "", errIsPattern.Error()},
		{"http://exämple.com", "", "", errNotNamed.Error()},
		{"http://example.com\n.evil.com", "", "", errNotNamed.Error()},
		{"smb://db.example.com", "", "", errNoPort.Error()},
		{"db.example.com", "", "", errNoPort.Error()},
		{"http://", "", "", errNoHost.Error()},
		{"", "http", "", errNoHost.Error()},
		{"host=db.example.com password=x", "postgres", "", errNotNamed.Error()},
		{"postgres://u:p/w@db.example.com/d", "", "", errNotNamed.Error()}, // the slash belongs to the password, and must be %2F
		{"/var/run/postgresql", "postgres", "", errNoHost.Error()},
	} {
		entries, err := hostsOf(c.value, c.scheme, c.port)
		got := strings.Join(entries, " ")
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, not %q", c.value, got, c.want)
		}
	}
}

// Whatever a user writes is no crash, and no error repeats a part of the value.
func FuzzHostsOf(f *testing.F) {
	f.Add("postgres://u:p@db.example.com/d")
	f.Add("http://[::1]:9200,x")
	f.Fuzz(func(t *testing.T, value string) {
		if _, err := hostsOf(value, "postgres", ""); err != nil {
			var known problem
			if !errors.As(err, &known) {
				t.Errorf("%T: %v", err, err)
			}
		}
	})
}
