package main

// makeRoots copies the stage, makes the user of the units and a folder for what they print: $0, $1 and $2 are folders.
// And it makes what single units are given, at the paths that the table of places names: roots with links into
// /usr, one of them on the machine's disk, which is mounted at /var/tmp; an extension of /usr; a PAM service; and
// namespaces, each of which stays because a file is mounted: unshare(1).
const makeRoots = `mkdir -p "$1"
cp -r "$0/." "$1"
mkdir -p "$2" /home/mcp
chown 1000:1000 /home/mcp
echo mcp:x:1000:1000::/home/mcp:/bin/sh >>/etc/passwd
echo mcp:x:1000: >>/etc/group
for root in /opt/root /var/tmp; do
	for name in usr etc opt/places proc sys dev run var/tmp; do mkdir -p "$root/$name"; done
	mkdir -p -m 1777 "$root/tmp"
	for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
done
extension=/opt/extension/usr/lib/extension-release.d
mkdir -p "$extension" /run/places-ns /etc/pam.d
echo ID=_any >"$extension/extension-release.extension"
printf '%s required pam_permit.so\n' auth account session >/etc/pam.d/places
for kind in net ipc; do
	touch "/run/places-ns/$kind"
	unshare "--$kind=/run/places-ns/$kind" ip link set lo up
done`
