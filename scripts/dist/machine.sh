#!/bin/sh
# A machine without Go and without network, on which an ordinary user types the quick start of the archive's README, line by
# line, and a client starts the server of its mcp.json. It is made in mount, pid and network namespaces, of this machine's
# /usr, read-only, and empty folders. What is fetched by npx is left out. It takes root.
#
#	scripts/dist/machine.sh ARCHIVES NODE_MODULES
set -eu
if [ "${1:-}" != inside ]; then
	exec unshare --mount --pid --net --fork --kill-child "$0" inside "$(realpath "$1")" "$(realpath "$2")" "$(realpath "$(command -v node)")"
fi
archives=$2 modules=$3 node=$4
umask 022
root=/mnt
mount --make-rprivate /
mount -t tmpfs -o mode=755 none "$root"
cd "$root"
mkdir -p usr proc sys run dev etc tmp archives home/ann/servers/node_modules home/ann/Downloads old
show() { # FROM TO: read-only
	mount --bind "$1" "$root/$2"
	mount -o remount,bind,ro "$root/$2"
}
show /usr usr
mount -t tmpfs none usr/local # where Go and what else the machine's owner installed are
find usr -xdev -name go -type f -perm -100 | while read -r go; do mount --bind /dev/null "$go"; done # a distribution's
mkdir usr/local/bin
[ "$node" = /usr/bin/node ] || {
	touch usr/local/bin/node
	show "$node" usr/local/bin/node
}
for name in bin sbin lib lib64; do ln -s "usr/$name" "$name"; done
show "$archives" archives
show "$modules" home/ann/servers/node_modules
echo 'import("./node_modules/@modelcontextprotocol/server-filesystem/dist/index.js")' >home/ann/servers/server.js
for name in null zero full random urandom tty; do
	touch "dev/$name"
	mount --bind "/dev/$name" "dev/$name"
done
[ ! -e /etc/ld.so.cache ] || cp /etc/ld.so.cache etc
[ ! -d /etc/alternatives ] || cp -a /etc/alternatives etc
printf 'root:x:0:0::/root:/bin/sh\nann:x:12345:12345::/home/ann:/bin/sh\n' >etc/passwd
printf 'root:x:0:\nann:x:12345:\n' >etc/group
chmod 1777 tmp
chown 12345:12345 home/ann home/ann/Downloads
mount -t proc proc proc
pivot_root . old # in a chroot nobody may make user namespaces
cd /home/ann
umount -l /old
exec setpriv --reuid 12345 --regid 12345 --clear-groups --inh-caps=-all \
	env -i HOME=/home/ann USER=ann PATH=/usr/local/bin:/usr/bin:/bin sh -eu <<'STEPS'
if go version 2>/dev/null; then exit 1; fi
case $(uname -m) in x86_64) arch=amd64 ;; *) arch=arm64 ;; esac
(cd /archives && sha256sum -c --quiet SHA256SUMS)
cp /archives/SHA256SUMS /archives/mcp-sandbox-*-linux-$arch.tar.gz Downloads
tar -xzOf Downloads/*.tar.gz --wildcards '*/README.md' >/tmp/README.md
echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"machine","version":"1"}}}' >/tmp/hello
sed -n '/^## Quick start$/,/^## [^Q]/p' /tmp/README.md | sed -n '/^```sh$/,/^```$/{/^```/!p}' >/tmp/lines

cd Downloads
while IFS= read -r line; do
	case $line in *npx*) continue ;; esac # there is no network
	printf '$ %s\n' "$line"
	eval "$line" </tmp/hello >/tmp/out || { cat /tmp/out; exit 1; }
	cat /tmp/out
done </tmp/lines
[ -f ~/project/hello ]
mcp-sandbox run --allow-read ~/servers --allow-write ~/project -- ~/servers/node_modules/.bin/mcp-server-filesystem ~/project </tmp/hello >/tmp/out
grep -q '"serverInfo"' /tmp/out

cp -r ~/Downloads/mcp-sandbox-*-linux-$arch/share ~/.local
bash -c '. ~/.local/share/bash-completion/completions/mcp-sandbox; complete -p mcp-sandbox'
ls ~/.local/share/zsh/site-functions/_mcp-sandbox ~/.local/share/fish/vendor_completions.d/mcp-sandbox.fish
grep '^[.]TH "MCP-SANDBOX-RUN" "1" "20[0-9-]*" "mcp-sandbox v' ~/.local/share/man/man1/mcp-sandbox-run.1
grep '^[.]TH "MCP-SANDBOX-SERVE" "1" "20[0-9-]*" "mcp-sandbox v' ~/.local/share/man/man1/mcp-sandbox-serve.1
grep '^[.]TH "MCP-SANDBOX-POLICY" "5" "20[0-9-]*" "mcp-sandbox v' ~/.local/share/man/man5/mcp-sandbox-policy.5

node - <<'CLIENT'
const { readFileSync } = require("node:fs");
const { spawnSync } = require("node:child_process");
let started = 0;
for (const [, block] of readFileSync("/tmp/README.md", "utf8").matchAll(/\n```json\n(.*?\n)```\n/gs)) {
  for (const { command, args, env } of Object.values(JSON.parse(block).mcpServers ?? {})) {
    if (command === "npx" || args.includes("npx")) continue; // there is no network
    const got = spawnSync(command, args, { input: readFileSync("/tmp/hello"), env: { HOME: process.env.HOME, PATH: "/usr/local/bin:/usr/bin:/bin", ...env }, encoding: "utf8", timeout: 60000 });
    if (!got.stdout?.includes('"serverInfo"') || got.stderr.includes("mcp-sandbox: ")) throw new Error(JSON.stringify(got));
    started++;
  }
}
if (started !== 1) throw new Error(`${started} servers`);
console.log("machine: the server of mcp.json answers");
CLIENT

mcp-sandbox-init --version
echo '{"version": 1, "filesystem": {"allowRead": ["~/servers"], "allowWrite": ["~/project"]}}' >policy.json
timeout 60 mcp-sandbox-init --policy policy.json -- ~/servers/node_modules/.bin/mcp-server-filesystem ~/project </tmp/hello >/tmp/out
grep -q '"serverInfo"' /tmp/out
echo "machine: the server answers mcp-sandbox-init"
STEPS
