#!/bin/sh
# A machine without Go, on which an ordinary user installs an archive and goes through the README's first steps. It is made
# in mount, pid and network namespaces, of this machine's /usr, read-only, and empty folders. It takes root.
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
mkdir -p usr proc sys run dev etc tmp archives home/ann/servers/node_modules home/ann/project old
show() { # FROM TO: read-only
	mount --bind "$1" "$root/$2"
	mount -o remount,bind,ro "$root/$2"
}
show /usr usr
mount -t tmpfs none usr/local # where Go and what else the machine's owner installed are
find usr -xdev -name go -type f -perm -100 | while read -r go; do mount --bind /dev/null "$go"; done # a distribution's
[ "$node" = /usr/bin/node ] || {
	mkdir usr/local/bin
	touch usr/local/bin/node
	show "$node" usr/local/bin/node
}
for name in bin sbin lib lib64; do ln -s "usr/$name" "$name"; done
show "$archives" archives
show "$modules" home/ann/servers/node_modules
for name in null zero full random urandom tty; do
	touch "dev/$name"
	mount --bind "/dev/$name" "dev/$name"
done
[ ! -e /etc/ld.so.cache ] || cp /etc/ld.so.cache etc
[ ! -d /etc/alternatives ] || cp -a /etc/alternatives etc
printf 'root:x:0:0::/root:/bin/sh\nann:x:12345:12345::/home/ann:/bin/sh\n' >etc/passwd
printf 'root:x:0:\nann:x:12345:\n' >etc/group
chmod 1777 tmp
chown 12345:12345 home/ann home/ann/project
mount -t proc proc proc
pivot_root . old # in a chroot nobody may make user namespaces
cd /home/ann
umount -l /old
exec setpriv --reuid 12345 --regid 12345 --clear-groups --inh-caps=-all \
	env -i HOME=/home/ann USER=ann PATH=/home/ann/bin:/usr/local/bin:/usr/bin:/bin sh -eu <<'STEPS'
if go version 2>/dev/null; then exit 1; fi
case $(uname -m) in x86_64) arch=amd64 ;; *) arch=arm64 ;; esac
(cd /archives && sha256sum -c --quiet SHA256SUMS)
tar -xzf /archives/mcp-sandbox-*-linux-$arch.tar.gz
mkdir bin
cp mcp-sandbox-*/mcp-sandbox mcp-sandbox-*/mcp-sandbox-init bin
mcp-sandbox version
mcp-sandbox-init --version
mcp-sandbox doctor
hello='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"machine","version":"1"}}}'
echo '{"version": 1, "filesystem": {"allowRead": ["~/servers"], "allowWrite": ["~/project"]}}' >policy.json
for program in "mcp-sandbox run --allow-read $HOME/servers --allow-write $HOME/project" "mcp-sandbox-init --policy policy.json"; do
	# shellcheck disable=SC2086 # words
	echo "$hello" | timeout 60 $program -- ~/servers/node_modules/.bin/mcp-server-filesystem ~/project >answer
	grep -q '"serverInfo"' answer || { cat answer; exit 1; }
	echo "machine: the server answers: $program"
done
STEPS
