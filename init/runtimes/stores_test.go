package runtimes

import "testing"

func TestStores(t *testing.T) {
	for path, want := range map[string]string{
		"/home/u/.nvm/versions/node/v20/bin/node":            "/home/u/.nvm/versions/node/v20",
		"/home/u/.nvm/versions/node/v20":                     "/home/u/.nvm/versions/node/v20",
		"/home/u/.nvm/versions/node":                         "",
		"/opt/hostedtoolcache/node/20.1.0/x64/bin/node":      "/opt/hostedtoolcache/node/20.1.0/x64",
		"/opt/hostedtoolcache/node/20.1.0":                   "",
		"/home/u/.local/share/mise/installs/node/20":         "/home/u/.local/share/mise/installs/node/20",
		"/home/u/.local/share/mise/installs/node":            "",
		"/home/u/.local/share/uv/python/cp3.12/bin/python3":  "/home/u/.local/share/uv/python/cp3.12",
		"/home/u/.local/share/fnm/node-versions/v1/x":        "/home/u/.local/share/fnm/node-versions/v1",
		"/home/u/.pyenv/versions/3.12/bin/python":            "/home/u/.pyenv/versions/3.12",
		"/home/u/.volta/tools/image/node/18/bin/node":        "/home/u/.volta/tools/image/node/18",
		"/home/u/.config/nvm/versions/node/v24/bin/node":     "/home/u/.config/nvm/versions/node/v24",
		"/home/u/.nodenv/versions/24.1.0/bin/node":           "/home/u/.nodenv/versions/24.1.0",
		"/home/u/.local/share/pnpm/nodejs/24.1.0/bin/node":   "/home/u/.local/share/pnpm/nodejs/24.1.0",
		"/home/u/.local/share/pnpm/server":                   "",
		"/home/u/.rye/py/cpython@3.12/bin/python3":           "/home/u/.rye/py/cpython@3.12",
		"/home/u/.sdkman/candidates/java/current/bin/java":   "/home/u/.sdkman/candidates/java/current",
		"/home/u/.sdkman/candidates/java":                    "",
		"/home/u/.sdkman/candidates//java/bin":               "/home/u/.sdkman/candidates//java",
		"/home/u/.jdks/corretto-21/bin/java":                 "/home/u/.jdks/corretto-21",
		"/home/u/.asdf/installs/java/temurin-21/bin/java":    "/home/u/.asdf/installs/java/temurin-21",
		"/home/linuxbrew/.linuxbrew/Cellar/node/24/bin/node": "/home/linuxbrew/.linuxbrew/Cellar/node/24",
		"/home/u/.nvm/versions/node/":                        "",
		"/home/u/x.nvm/versions/node/v20/bin":                "",
		"/home/u/.ssh/id":                                    "",
	} {
		if got, ok := Stored(path); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// A store counts at its own place in the home alone, and not in a home that a server writes.
func TestIsStoredIn(t *testing.T) {
	for path, want := range map[string]bool{
		"/home/u/.nvm/versions/node/v20/bin/npm":                                  true,
		"/home/u/.local/share/uv/tools/x/bin/python":                              true,
		"/home/u/.local/state/mcp-sandbox/state/a/.nvm/versions/node/v20/bin/npm": false,
		"/home/u2/.nvm/versions/node/v20/bin/npm":                                 false,
		"/home/u/p/.nvm/versions/node/v20/bin/npm":                                false,
		"/home/u/.nvm/x": false,
		"/opt/hostedtoolcache/node/20.1.0/x64/bin/node": false,
	} {
		if IsStoredIn("/home/u", path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

func TestShim(t *testing.T) {
	for path, want := range map[string]string{
		"/home/u/.pyenv/shims/python":                      "/home/u: /.pyenv",
		"/home/u/.asdf/shims/node":                         "/home/u: /.asdf",
		"/home/u/.volta/bin/node":                          "/home/u: /.volta",
		"/home/u/.bun/install/global/x.js":                 "/home/u: /.bun/install/global",
		"/home/u/.bun/bin/bun":                             "",
		"/home/u/.deno/bin/deno":                           "",
		"/home/u/.dotnet/tools/x":                          "/home/u: /.dotnet/tools /.dotnet/host /.dotnet/shared",
		"/home/u/.dotnet/dotnet":                           "",
		"/home/linuxbrew/.linuxbrew/bin/node":              "/home/linuxbrew: /.linuxbrew/Cellar /.linuxbrew/opt /.linuxbrew/lib",
		"/home/linuxbrew/.linuxbrew/Cellar/x/1/x":          "/home/linuxbrew: /.linuxbrew/Cellar /.linuxbrew/opt /.linuxbrew/lib",
		"/home/u/.local/share/pnpm/srv":                    "/home/u: /.local/share/pnpm/global /.local/share/pnpm/store/v11/links",
		"/home/u/.local/share/pnpm/bin/srv":                "/home/u: /.local/share/pnpm/global /.local/share/pnpm/store/v11/links",
		"/home/u/.local/share/pnpm/nodejs/24.1.0/bin/node": "",
		"/home/u/.pyenv":                                   "",
		"/home/u/x.pyenv/shims/python":                     "",
	} {
		got := ""
		above, shows, ok := Shim(path)
		if ok {
			got = above + ": " + shows
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestHomeOf(t *testing.T) {
	for path, want := range map[string]string{
		"/home/u/sdk/go1.26/bin/go": "/home/u/sdk/go1.26", "/home/u/go/bin/gofmt": "/home/u/go", "/home/u/.dotnet/dotnet": "/home/u/.dotnet",
		"/home/u/bin/mygo": "", "/bin/go": "", "/dotnet": "", "/home/u/go": "", "/home/u/.dotnet/tools/x": "",
	} {
		if h, prefix, ok := HomeOf(path); prefix != want || ok != (want != "") || ok != (h != nil) {
			t.Errorf("%s: %q, want %q", path, prefix, want)
		}
	}
}

func TestIsLib(t *testing.T) {
	for name, want := range map[string]bool{"python3.12": true, "python3.13t": true, "python2.7": true, "python3": false, "python": false, "python3.": false, "pythonx.y": false, "libpython3.12": false,
		"node_modules": true, "jvm.cfg": true, "modules": false, "X.Y": false, "pythonX.Y": true, "": false} {
		if IsLib(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}
