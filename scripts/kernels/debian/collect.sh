# Copies a kernel's image, and the modules with which a guest can have the host's root, out of its unpacked packages to $1.
# modprobe names each module's file after those of the modules that it needs, and nothing for one that is built in.
[ -e lib ] || ln -s usr/lib lib # from Linux 7 on Debian's kernels have all below usr/lib/modules
release=$(ls lib/modules)
image=boot/vmlinuz-$release
[ -e "$image" ] || image=lib/modules/$release/vmlinuz
depmod -b "$PWD" "$release"
mkdir -p "$1/modules"
cp "$image" "$1/vmlinuz"

needs() { modprobe -d "$PWD" -S "$release" --show-depends "$@"; }
{
	needs -q crc32c_generic || true # ext4 has CRC-32C made by whatever there is
	for module in virtio_pci virtiofs overlay virtio_rng virtio_blk ext4; do
		# From Linux 7 on there is no list of what is built in: what is missing then shows at the boot.
		needs "$module" || [ ! -e "lib/modules/$release/modules.builtin" ]
	done
	needs -q unix_diag || true
} >order
number=100
sed -n 's/^insmod \(.*\.ko[^ ]*\) .*/\1/p' order | awk '!seen[$0]++' | while read -r file; do
	name=$(basename "$file")
	case $name in
	*.xz) xz -dc "$file" ;;
	*) cat "$file" ;;
	esac >"$1/modules/$number-${name%.xz}"
	number=$((number + 1))
done
