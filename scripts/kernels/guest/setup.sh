# Makes of the host's root, under its overlay, what a Linux system has when it is booted: as root, with /proc mounted.
# HYBRID is true where the controllers are in hierarchies of cgroup v1, MANAGER where systemd takes the machine over.
plain=nosuid,nodev,noexec
mount -t sysfs -o $plain sysfs /sys
mount -t devtmpfs -o nosuid dev /dev
mkdir -p /dev/pts /dev/shm
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t tmpfs -o mode=755 run /run
mount -t securityfs -o $plain securityfs /sys/kernel/security
ln -s /proc/self/fd /dev/fd
ln -s /proc/self/fd/0 /dev/stdin
ln -s /proc/self/fd/1 /dev/stdout
ln -s /proc/self/fd/2 /dev/stderr
ip link set lo up # the tests listen on it

# /var/tmp is the machine's own disk: an overlay is no file system to test grants on, as it has neither unnamed files nor
# handles, and a tmpfs had no attributes of users before Linux 6.6. It has one partition, as most disks have: what limits a
# disk is written for the whole of it.
printf 'label: dos\n,,L\n' | sfdisk --quiet /dev/vda
mkfs.ext4 -q -E nodiscard /dev/vda1
mount -t ext4 /dev/vda1 /var/tmp
chmod 1777 /var/tmp

# The control groups are mounted as systemd does; cgroups(7).
groups=/sys/fs/cgroup
if [ "$HYBRID" = true ]; then
	mount -t tmpfs -o $plain,mode=755 tmpfs $groups
	for controllers in cpu,cpuacct blkio memory pids freezer devices; do
		mkdir $groups/$controllers
		# From Linux 6.11 a kernel may have no v1 of the memory controller: then v2 keeps it. e93d4166b40a, "mm: memcg: put
		# cgroup v1-specific code under a config option"
		mount -t cgroup -o $plain,$controllers cgroup $groups/$controllers || [ $controllers = memory ]
	done
	mkdir $groups/unified
	mount -t cgroup2 -o $plain,nsdelegate cgroup2 $groups/unified
	exit
fi
mount -t cgroup2 -o $plain,nsdelegate,memory_recursiveprot cgroup2 $groups
if [ "$MANAGER" = true ]; then
	mkdir /run/guest
	cp /proc/1/exe /run/guest/guest
	echo 0123456789abcdef0123456789abcdef >/etc/machine-id # without one a first boot is long
	exit
fi
for controller in $(cat $groups/cgroup.controllers); do
	case $controller in # systemd turns these on
	cpu | io | memory | pids) echo "+$controller" >$groups/cgroup.subtree_control ;;
	esac
done
