package fsview

import "testing"

// What is shown of the host for a program of an installation below a home. A home's other folders are never shown.
func TestInstallation(t *testing.T) {
	const tree = `
		jdk/bin/java!
		jdk/lib/jvm.cfg
		home/.sdkman/candidates/java/17/bin/java!
		home/.sdkman/candidates/java/current -> 17
		home/.sdkman/etc/config
		home/.deno/bin/deno!
		home/.bun/bin/bun!
		home/.bun/bin/bunx -> bun
		home/.bun/bin/srv -> ../install/global/node_modules/srv/index.js
		home/.bun/install/global/node_modules/srv/index.js! = #!/usr/bin/env true\n
		home/.bun/install/cache/x
		home/.local/share/pnpm/bin/srv! = #!/bin/sh\n
		home/.local/share/pnpm/global/v11/x
		home/.local/share/pnpm/store/v11/links/x
		home/.local/share/pnpm/store/v11/projects/x
		home/.dotnet/dotnet!
		home/.dotnet/host/fxr/10.0/x
		home/.dotnet/shared/x
		home/.dotnet/corefx/cryptography/x509stores/my/key.pfx
		home/.dotnet/tools/srv!
		nodotnet/dotnet!
		nodotnet/shared/x
		led/dotnet!
		led/host/fxr/10.0/x
		led/shared -> T/p/shared
		p/shared -> T/home/.dotnet/corefx
		p/java -> T/home/.sdkman/candidates/java/17/bin/java
		p/other -> T/jdk/bin/java
		linked/bin/go -> T/home/sdk/go1.26/bin/go
		home/sdk/go1.26/bin/go!
		home/sdk/go1.26/pkg/tool/x
		home/go/bin/go!
		home/go/bin/srv!
		home/go/pkg/mod/x
		brew/.linuxbrew/bin/node -> ../Cellar/node/24/bin/node
		brew/.linuxbrew/Cellar/node/24/bin/node!
		brew/.linuxbrew/Cellar/openssl/3/lib/x
		brew/.linuxbrew/opt/openssl -> ../Cellar/openssl/3
		brew/.linuxbrew/lib/ld.so -> ../Cellar/glibc/2/lib/ld.so
		brew/.linuxbrew/etc/x
		brew/.linuxbrew/var/x`
	for _, c := range []struct {
		name, program string
		wish          wish
		implied       string
		err           error
	}{
		{name: "a Java", program: "T/jdk/bin/java", implied: "T/jdk"},
		{name: "a Java whose mark the server may have made", program: "T/jdk/bin/java", wish: wish{write: []string{"T/jdk/lib"}}, implied: "T/jdk/bin/java"},
		{name: "a Java of SDKMAN", program: "T/home/.sdkman/candidates/java/current/bin/java", implied: "T/home/.sdkman/candidates/java/17"},
		{name: "Deno is one file", program: "T/home/.deno/bin/deno", implied: "T/home/.deno/bin/deno"},
		{name: "Bun is one file", program: "T/home/.bun/bin/bunx", implied: "T/home/.bun/bin/bun"},
		{name: "what Bun installed", program: "T/home/.bun/bin/srv", implied: "T/home/.bun/install/global"},
		{name: "what pnpm installed", program: "T/home/.local/share/pnpm/bin/srv",
			implied: "T/home/.local/share/pnpm/bin/srv\n T/home/.local/share/pnpm/global\n T/home/.local/share/pnpm/store/v11/links"},
		{name: "dotnet, and no keys", program: "T/home/.dotnet/dotnet", implied: "T/home/.dotnet/dotnet\n T/home/.dotnet/host\n T/home/.dotnet/shared"},
		{name: "a tool of dotnet", program: "T/home/.dotnet/tools/srv", implied: "T/home/.dotnet/host\n T/home/.dotnet/shared\n T/home/.dotnet/tools"},
		{name: "no installation of dotnet", program: "T/nodotnet/dotnet", implied: "T/nodotnet/dotnet"},
		{name: "one that the server may have made", program: "T/home/.dotnet/dotnet", wish: wish{write: []string{"T/home/.dotnet/host"}}, implied: "T/home/.dotnet/dotnet"},
		{name: "one with a folder that the server may lead elsewhere", program: "T/led/dotnet", wish: wish{write: []string{"T/p"}}, implied: "T/led/dotnet\n T/led/host"},
		{name: "a Go", program: "T/linked/bin/go", implied: "T/home/sdk/go1.26"},
		{name: "no Go, but its packages", program: "T/home/go/bin/go", implied: "T/home/go/bin/go"},
		{name: "a program of Go", program: "T/home/go/bin/srv", implied: "T/home/go/bin/srv"},
		{name: "Homebrew", program: "T/brew/.linuxbrew/bin/node", implied: "T/brew/.linuxbrew/Cellar\n T/brew/.linuxbrew/lib\n T/brew/.linuxbrew/opt"},
		{name: "a link of the server's into a version store", program: "T/p/java", wish: wish{write: []string{"T/p"}}, implied: "T/home/.sdkman/candidates/java/17"},
		{name: "a link of the server's to another Java", program: "T/p/other", wish: wish{write: []string{"T/p"}}, err: ErrLink},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			r := c.wish.request(root)
			r.Command = at(root, []string{c.program})
			v, err := Plan(r)
			if checkError(t, err, c.err, root, "") {
				same(t, "implied", relative(root, v.Implied), lines(c.implied))
			}
		})
	}
}
