package runtimes

// table has one row for each runtime, and a row for the programs of each kind that are none.
//
// The limits are what scripts/least measured on 2026-11-22 with two processors of amd64, on Linux 6.18, and the column
// memory on Linux 6.12 in a virtual machine. least is the lowest number of all versions and settings, enough the
// highest one. More processors take more threads and more memory, never less. A real server needs more than the small
// one that was started.
//
//	go run ./scripts/least node=/opt/node-v24/bin/node npx=/usr/bin/npx java-small=/usr/bin/java \
//		python3 java go deno bun
//
// npm, pnpm, yarn, uv and uvx were not measured: they are programs of the runtimes whose rows they stand in, or start
// one. npx was not measured with a control group. What files take of a group's memory is given back in need, so most
// runtimes start with the 16M that a policy has to give. Nothing of dotnet was measured or started.
var table = [...]Runtime{
	{
		Name: "npx", interprets: "npx", starts: "npx npx-cli.js", hosts: npm,
		limits: limits{"npm 11.19 with node 20.20 22 24", 0, [needs]need{
			data: {118 * m, 640 * m, true}, pids: {18, 23, true}, openFiles: {21, 21, false},
			addressSpace: {768 * m, 1216 * m, true}}},
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
		limits: limits{"18.20 20.20 22 24 26", 24, [needs]need{
			data: {49 * m, 576 * m, true}, pids: {6, 11, true}, openFiles: {18, 19, false},
			addressSpace: {360 * m, 1152 * m, true}}},
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
		limits: limits{"3.11 3.13, also by pyenv's script", 0, [needs]need{
			pids: {0, 6, true}, openFiles: {4, 6, false}, addressSpace: {24 * m, 25 * m, false}}},
	},
	{
		Name: "java", interprets: "java jbang kotlin scala groovy clojure", files: ".jar", by: "java -jar",
		stores: "/.sdkman/candidates/*/* /.jdks/*",
		lib:    "jvm.cfg",
		limits: limits{"17, also with -XX:+UseSerialGC -Xmx16m -Xint", 0, [needs]need{
			data: {39 * m, 488 * m, false}, memory: {20 * m, 20 * m, false}, pids: {12, 20, false},
			openFiles: {5, 5, false}, addressSpace: {1408 * m, 4096 * m, false}}},
	},
	{
		Name: "deno", interprets: "deno", files: ".ts", by: "deno run", hosts: "jsr.io npm.jsr.io " + npm,
		limits: limits{"2.9.6", 0, [needs]need{
			data: {560 * m, 560 * m, false}, memory: {21 * m, 21 * m, false}, pids: {4, 4, false},
			openFiles: {21, 21, false}, fileSize: {2496 * k, 2496 * k, false},
			addressSpace: {33792 * m, 33792 * m, false}}},
	},
	{
		Name: "bun", interprets: "bun bunx", starts: "bunx", hosts: npm,
		shims: shims{{"/.bun/install/global/", "/.bun/install/global"}},
		limits: limits{"1.4.5", 0, [needs]need{
			data: {264 * m, 264 * m, false}, openFiles: {6, 6, false}, addressSpace: {368 * m, 368 * m, false}}},
	},
	{
		Name: goProgram, // the linker's note in the file says so, and no name
		limits: limits{"1.26.8, with and without cgo", 0, [needs]need{
			data: {41 * m, 108 * m, false}, pids: {4, 5, false}, addressSpace: {688 * m, 736 * m, false}}},
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
	k, m = 1 << 10, 1 << 20

	npm = "registry.npmjs.org"

	// goProgram is the runtime that is in the program itself.
	goProgram = "a Go program"

	// pnpmFolders are for what pnpm 10 and 12 installed globally: of the store only what such a program is linked to.
	pnpmFolders = "/.local/share/pnpm/global /.local/share/pnpm/store/v11/links"

	dotnetFolders = "host shared sdk sdk-manifests packs templates"
)
