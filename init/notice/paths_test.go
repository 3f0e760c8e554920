package notice

import (
	"slices"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	words := []string{"--root=/srv", "-y", "pkg", "@scope/name", "../x", "file:///f%20g", "/a/../b", "postgres://h/db", "A=/secret"}
	if got, want := Arguments(words, ""), []string{"/srv", "/f g", "/b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Arguments(words, "/w/d"), []string{"/srv", "/w/d/@scope/name", "/w/x", "/f g", "/b", "/w/d/A=/secret"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	env := []string{"HOME=/h", "KUBECONFIG=/k/a:/k/b", "URL=http://x", "TOKEN=s3cret", "XDG_CONFIG_HOME=/x", "SSH_AUTH_SOCK=/s", "D=/d/"}
	named := func(variable string) bool { return variable == "SSH_AUTH_SOCK" }
	if got, want := PathVariables(env, named), []PathVariable{{"KUBECONFIG", "/k/a"}, {"KUBECONFIG", "/k/b"}, {"SSH_AUTH_SOCK", "/s"}, {"D", "/d"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for at, want := range map[string]string{
		"/h/s/node_modules/a/dist/i.js": "/h/s", "/h/s/node_modules/.bin/a": "/h/s", "/h/app/server.js": "/h/app",
		"/h/server.js": "/h/server.js", "/h/app/data": "/h/app/data",
	} {
		if got := GrantFor([]string{"node", at}, at, "/h"); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	if got := GrantFor([]string{"cat", "/h/a/b.txt"}, "/h/a/b.txt", "/h"); got != "/h/a/b.txt" {
		t.Error(got)
	}
}

// A script is read with the packages that it asks for, and with no home.
func TestPackageOf(t *testing.T) {
	there := " /h/package.json /h/node_modules /h/ts/package.json /h/ws/node_modules /h/ws/p/a/package.json /node_modules " +
		"/srv/package.json /srv/a/pyproject.toml /h/lib/node_modules "
	for folder, want := range map[string]string{
		"/h/ts/dist": "/h/ts", "/h/ts": "/h/ts", "/h/ws/p/a/dist": "/h/ws", "/h/ws/p/b": "/h/ws", "/h/lone": "/h/lone",
		"/h": "/h", "/srv/a/b": "/srv/a", "/srv/x": "/srv/x", "/h/lib/x/y": "/h/lib", "/": "/",
	} {
		got := PackageOf(folder, "/h", func(at string) bool { return strings.Contains(there, " "+at+" ") })
		if got != want {
			t.Errorf("%s: %s, want %s", folder, got, want)
		}
	}
	above := func(at string) bool { return at == "/data/u/node_modules" } // and above the home
	if got := PackageOf("/data/u/y", "/data/u/y/z", above); got != "/data/u/y" {
		t.Error(got)
	}
}

func TestNames(t *testing.T) {
	for _, n := range strings.Fields("NOTION_TOKEN API_KEY DATABASE_URL PGPASSWORD MDB_MCP_CONNECTION_STRING KUBECONFIG AWS_SECRET_ACCESS_KEY GOOGLE_APPLICATION_CREDENTIALS") {
		if !IsSetting(n) {
			t.Errorf("%s is a setting", n)
		}
	}
	for _, n := range strings.Fields("DISPLAY XDG_RUNTIME_DIR SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS LS_COLORS TERM_PROGRAM PWD CURL_CA_BUNDLE npm_config_key") {
		if IsSetting(n) {
			t.Errorf("%s is no setting", n)
		}
	}
}

// Addresses with a path in them are of files, and those with a host are not.
func TestPathsIn(t *testing.T) {
	for value, want := range map[string]string{
		"unix:///run/x.sock":                         "/run/x.sock",
		"unix:/run/x.sock":                           "/run/x.sock",
		"unix:path=/run/user/1/bus,guid=0123":        "/run/user/1/bus",
		"unix:abstract=/tmp/x":                       "",
		"unix:path=/a;unix:path=/b":                  "/a /b",
		"sqlite:///h/n.db":                           "/h/n.db",
		"sqlite:////h/n.db?mode=ro":                  "/h/n.db",
		"jdbc:sqlite:/h/n.db":                        "/h/n.db",
		"file:///h/ca.pem":                           "/h/ca.pem",
		"http+unix://%2Frun%2Fdocker.sock/v1":        "/run/docker.sock",
		"postgres:///db?host=/run/postgresql":        "/db /run/postgresql",
		"postgres://u:pw@h/db?sslrootcert=/h/ca.pem": "/h/ca.pem",
		"host=/run/postgresql dbname=x":              "/run/postgresql",
		"/a:/b":                                      "/a /b",
		"https://example.com/a/b":                    "",
		"postgres://u:pw@h/db":                       "",
		"c2VjcmV0/Zm9v=":                             "",
		"relative/path":                              "",
		"{\"a\": \"/b\"}":                            "",
		"a text\nof /lines":                          "",
		"":                                           "",
	} {
		if got := strings.Join(pathsIn(value), " "); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

// A value that names another is told by its form, and none of it is in that.
func TestReferenceIn(t *testing.T) {
	for value, want := range map[string]string{
		"op://vault/item/field": "op://...", "vault://kv/x": "vault://...", "ref+awsssm://x": "ref+awsssm://...", "keychain://x": "keychain://...",
		"${KEY}": "${...}", "${input:key}": "${...}", "${env:KEY}": "${...}", "postgres://u:${PW}@h/db": "${...}", "$(pass show x)": "$(...)", "$API_KEY": "$...",
		"{{ secrets.KEY }}": "{{...}}", "{env:KEY}": "{env:...}", "{file:~/key}": "{file:...}", "%API_KEY%": "%...%", "<your-api-key>": "<...>", "~/x": "~/...", "~": "~/...",
		"": "", "s3cret": "", "https://example.com/~ann": "", "$ecret": "", "$": "", "100%": "", "%d%": "", "<a href=\"x\">": "", "${": "", "{}": "", "postgres://u:p@h/db": "", "${a} and more": "",
		"${workspaceFolder}/x": "${...}", "${FOO}/x": "${...}", "${env:FOO}\\x": "${...}", "$HOME/x": "$...", "$API_KEY:x": "", "%APPDATA%\\x": "%...%", "%USERPROFILE%/x": "%...%",
		"/srv/${FOO}/x": "${...}", "C:\\${FOO}": "${...}", "a${FOO}/x": "", "%d%/x": "", "100%/x%": "", "${}/x": "", "${/x": "", "$ecret/x": "", "${a b}/x": "", "/a%20b%20c": "",
	} {
		if got := ReferenceIn(value); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
