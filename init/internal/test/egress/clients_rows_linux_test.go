package egress_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// relatives are the reachers that look names up and connect as another one does: for the suite's long form.
var relatives = []string{"node net.connect", "undici", "grpc-js", "bun", "asyncio", "go and cgo", "git over https", "openssl", "psql"}

func reachers() []reacher {
	return []reacher{
		{"node fetch", 443, overTLS, node("fetch"), "", "ENOTFOUND", "ECONNREFUSED", "ECONNRESET|UND_ERR_SOCKET"},
		{"node http keep-alive", 80, overHTTP, node("http"), "hello again", "ENOTFOUND", "ECONNREFUSED", "ECONNRESET"},
		{"node net.connect", 80, overHTTP, node("net"), "", "ENOTFOUND", "ECONNREFUSED", "ECONNRESET"},
		{"undici", 443, overTLS, node("undici"), "hello hello", "ENOTFOUND", "ECONNREFUSED", "ECONNRESET|UND_ERR_SOCKET"},
		{"ws", 8000, byNode("ws"), node("ws"), "", "ENOTFOUND", "ECONNREFUSED", "ECONNRESET"},
		{"grpc-js", 9000, byNode("grpc"), node("grpc"), "", "14 |Name resolution failed", "14 |ECONNREFUSED", "14 |ECONNRESET"},
		{"deno", 443, overTLS, runs("deno", "run", "--quiet", "--no-prompt", "--allow-net"), "", "dns error", "onnection refused", "onnection reset"},
		{"bun", 443, overTLS, runs("bun", "run"), "", "ENOTFOUND", "ECONNREFUSED", "ECONNRESET"},
		{"urllib", 443, overTLS, python("urllib"), "", "Name or service not known", "refused", "reset by peer"},
		{"asyncio", 80, overHTTP, python("asyncio"), "", "Name or service not known", "refused|Connect call failed", "reset by peer"},
		{"java", 443, overTLS, java, "", "UnresolvedAddress", "ConnectException|refused", "reset|EOF"},
		{"go", 443, overTLS, goClient("go"), `"text":"hello"}`, "NXDOMAIN", "ECONNREFUSED", "ECONNRESET"},
		{"go and cgo", 443, overTLS, goClient("cgo"), `"text":"hello"}`, "NXDOMAIN", "ECONNREFUSED", "ECONNRESET"},
		{"curl", 443, overTLS, shell("curl", `curl -sS --max-time 20 "https://$host:$port/x"`), "", "Could not resolve host",
			"connect", "reset by peer|SSL_ERROR_SYSCALL|unexpected eof"},
		{"git over https", 443, repository, shell("git", `git ls-remote "https://$host:$port/bare.git" HEAD`),
			"HEAD", "Could not resolve host", "connect", "reset by peer|SSL|eof"},
		{"git over ssh", 22, overSSH, shell("git", `git ls-remote "ssh://tester@$host:$port$dir/bare.git" HEAD`),
			"HEAD", "Could not resolve hostname", "refused", "reset by peer|Connection closed"},
		{"psql", 5432, postgres, shell("psql", `psql -XAtqw -c "select 'hello'" "host=$host port=$port user=tester dbname=postgres"`),
			"", "could not translate host name", "refused", "reset by peer|closed the connection"},
		{"redis-cli", 6379, redis, shell("redis-cli", `redis-cli -e -h "$host" -p "$port" echo hello`), "", "not known|Could not connect", "refused", "reset|closed"},
		{"openssl", 443, overTLS, shell("openssl", `printf "GET /x HTTP/1.0\r\n\r\n" |
			openssl s_client -quiet -verify_quiet -verify_return_error -CAfile "$ca" -connect "$host:$port" -servername "$host"`),
			"", "Name or service not known", "refused", "errno=104|reset|eof"},
		{"musl", 80, overHTTP, musl, "", "Name does not resolve", "refused", "reset by peer"},
	}
}

func node(manner string) func(*testing.T, *kit) []string {
	return func(t *testing.T, k *kit) []string {
		k.needModules(t)
		return []string{installed(t, "node"), filepath.Join(k.folder, "clients.js"), manner}
	}
}

// runs is a runtime that npm installs, with its words in front of the script.
func runs(runtime string, words ...string) func(*testing.T, *kit) []string {
	return func(t *testing.T, k *kit) []string {
		program := testbed.Runtime(t, runtime)
		k.grant = append(k.grant, program)
		k.env["NODE_EXTRA_CA_CERTS"], k.env["DENO_CERT"] = k.authority, k.authority
		return append(append([]string{program}, words...), filepath.Join(k.folder, "fetch.mjs"))
	}
}

func python(manner string) func(*testing.T, *kit) []string {
	return func(t *testing.T, k *kit) []string {
		testbed.Python(t) // whose want has a word of its own
		return []string{installed(t, "python3"), filepath.Join(k.folder, "clients.py"), manner}
	}
}

func java(t *testing.T, k *kit) []string {
	return []string{installed(t, "java"), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", filepath.Join(k.folder, "Clients.java"), k.authority}
}

// goClient is this test binary by one of Go's resolvers.
func goClient(resolver string) func(*testing.T, *kit) []string {
	return func(t *testing.T, k *kit) []string {
		program := testbed.Self(t, "client")
		if resolver == "cgo" {
			cmd := exec.Command(program, clientIs, act("lookup", "localhost"))
			cmd.Env = []string{"GODEBUG=netdns=cgo+1"}
			if text, err := cmd.CombinedOutput(); err != nil || !holdsOne(string(text), "using cgo DNS resolver|forcing use of the cgo") {
				testbed.Missing(t, "cgo", fmt.Sprintf("this test binary has no resolver by cgo: %v, %s", err, text))
			}
		}
		k.env["client"], k.env["GODEBUG"] = program, "netdns="+resolver
		return shell("sh", `r=$("$client" `+clientIs+` "[\"get\",\"https://$host:$port/x\"]"); echo "$r"
			case $r in *'"error"'*) false;; esac`)(t, k)
	}
}

func musl(t *testing.T, k *kit) []string {
	program := filepath.Join(k.folder, "clients")
	cmd := exec.Command(installed(t, "musl-gcc"), "-static", "-O1", "-o", program, filepath.Join(k.folder, "clients.c"))
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return []string{program}
}

// shell has /bin/sh run a line for each target, with variables host and port, and those of the kit.
func shell(program, line string) func(*testing.T, *kit) []string {
	return func(t *testing.T, k *kit) []string {
		installed(t, program)
		k.env["GIT_SSL_CAINFO"], k.env["GIT_CONFIG_NOSYSTEM"] = k.authority, "1"
		// ssh(1) wants that the key is its user's own.
		k.env["GIT_SSH_COMMAND"] = `key=${TMPDIR:-/tmp}/key && cp -f "$dir/client" $key && chmod 600 $key && ssh -F none -i $key ` +
			"-o BatchMode=yes -o IdentitiesOnly=yes -o LogLevel=ERROR -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null"
		return []string{"/bin/sh", "-c", "for target; do\nhost=${target%:*} port=${target##*:}\nif text=$({ " + line +
			"\n} 2>&1); then echo OK $text; else echo ERR $text; fi\ndone", "sh"}
	}
}
