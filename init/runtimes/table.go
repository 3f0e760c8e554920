package runtimes

// table has one row for each runtime, and a row for the programs of each kind that are none.
var table = [...]Runtime{
	{
		Name: "npx", interprets: "npx", starts: "npx npx-cli.js", hosts: npm,
	},
	{
		Name: "node", interprets: "node nodejs tsx ts-node",
		starts: "npm npm-cli.js pnpm pnpm.cjs pnpm.mjs pnpx pn pnx corepack",
		files:  ".js .mjs .cjs", by: "node", hosts: npm,
		stores: "/.nvm/versions/node/* /.config/nvm/versions/node/* /.local/share/fnm/node-versions/* " +
			"/.fnm/node-versions/* /.nodenv/versions/* /.local/share/pnpm/nodejs/*",
		shims: shims{
			{"/.nodenv/shims/", "/.nodenv"},
			{"/.local/share/pnpm/*", pnpmFolders}, {"/.local/share/pnpm/bin/*", pnpmFolders},
		},
		lib: "node_modules",
	},
	{
		Name: "yarn", starts: "yarn yarnpkg yarn.js", hosts: "registry.yarnpkg.com",
	},
	{
		Name: "python", interprets: "python uv uvx", starts: "uv uvx pipx poetry hatch",
		files: ".py", by: "python3", hosts: "pypi.org files.pythonhosted.org",
		stores: "/.pyenv/versions/* /.local/share/uv/python/* /.local/share/uv/tools/* /.rye/py/*",
		shims:  shims{{"/.pyenv/shims/", "/.pyenv"}, {"/.pyenv/bin/", "/.pyenv"}},
		lib:    "pythonX.Y",
	},
	{
		Name: "java", interprets: "java jbang kotlin scala groovy clojure", files: ".jar", by: "java -jar",
		stores: "/.sdkman/candidates/*/* /.jdks/*",
		lib:    "jvm.cfg",
	},
	{
		Name: "deno", interprets: "deno", files: ".ts", by: "deno run", hosts: "jsr.io npm.jsr.io " + npm,
	},
	{
		Name: "bun", interprets: "bun bunx", starts: "bunx", hosts: npm,
		shims: shims{{"/.bun/install/global/", "/.bun/install/global"}},
	},
	{
		Name: "go", interprets: "go",
		homes: homes{{"/bin/go", "pkg/tool", "."}, {"/bin/gofmt", "pkg/tool", "."}},
	},
	{
		Name: "dotnet", interprets: "dotnet",
		// ~/.dotnet also holds corefx/cryptography/x509stores, the user's private keys.
		homes: homes{{"/dotnet", "host/fxr", dotnetFolders}},
		shims: shims{{"/.dotnet/tools/", "/.dotnet/tools /.dotnet/host /.dotnet/shared"}},
	},
	{
		Name: "ruby", interprets: "ruby", files: ".rb", by: "ruby",
	},
	{
		Name: "an interpreter",
		interprets: "pypy bb perl raku php lua luajit tclsh expect awk gawk make pwsh nu swift julia Rscript guile " +
			"racket elixir escript runhaskell ocaml",
	},
	{
		Name: "a shell", interprets: "bash sh dash zsh ksh mksh fish",
		starts: "sh bash dash ash zsh ksh mksh fish csh tcsh", files: ".sh", by: "sh",
	},
	{
		Name: "a wrapper", starts: "env nice nohup setsid stdbuf timeout xargs",
	},
	{
		Name: "a version manager of many",
		stores: "/.local/share/mise/installs/*/* /.asdf/installs/*/* /.volta/tools/image/*/* /hostedtoolcache/*/*/* " +
			"/.linuxbrew/Cellar/*/*",
		shims: shims{
			{"/.volta/bin/", "/.volta"}, {"/.local/share/mise/shims/", "/.local/share/mise"},
			{"/.asdf/shims/", "/.asdf"},
			// The loader and the libraries of a program are links in lib and opt to the folders of others in Cellar.
			{"/.linuxbrew/", "/.linuxbrew/Cellar /.linuxbrew/opt /.linuxbrew/lib"},
		},
	},
}

const (
	npm = "registry.npmjs.org"

	// pnpmFolders are for programs that pnpm 10 and 12 installed globally: of the store only the linked files.
	pnpmFolders = "/.local/share/pnpm/global /.local/share/pnpm/store/v11/links"

	dotnetFolders = "host shared sdk sdk-manifests packs templates"
)
