# The first process of a machine of the lab, started in namespaces of its own: network, processes, mounts, IPC,
# host name. Arguments: the host's name, and the folder that becomes its root, or nothing. Says "ready", then
# lives until its standard input ends; with it ends everything in the machine.
set -eu
mount --make-rprivate /
new=
if [ -n "${2:-}" ]; then
	# Everything that is written goes into memory, over a folder that stays as it is.
	mount -t tmpfs -o mode=755 tmpfs "$2/mnt"
	mkdir "$2/mnt/upper" "$2/mnt/work" "$2/mnt/merged"
	mount -t overlay -o "lowerdir=$2,upperdir=$2/mnt/upper,workdir=$2/mnt/work" overlay "$2/mnt/merged"
	new=$2/mnt/merged
	mount -t sysfs -o ro sysfs "$new/sys"
	mount -t tmpfs -o mode=755 tmpfs "$new/dev"
	for d in null zero full random urandom tty; do
		: >"$new/dev/$d"
		mount --bind "/dev/$d" "$new/dev/$d"
	done
	mkdir "$new/dev/shm"
	mount -t tmpfs -o mode=1777 tmpfs "$new/dev/shm"
	mount -t tmpfs -o mode=1777 tmpfs "$new/tmp"
	: >"$new/etc/resolv.conf" # there is nobody to ask
	printf '127.0.0.1 localhost %s\n' "$1" >"$new/etc/hosts"
fi
mount -t proc proc "$new/proc"
echo "$1" >"$new/proc/sys/kernel/hostname"
if [ -d "$new/proc/sys/net/ipv6" ]; then # DirectPlay 4 knows no IPv6; its chatter would be in the recordings
	echo 1 >"$new/proc/sys/net/ipv6/conf/all/disable_ipv6"
	echo 1 >"$new/proc/sys/net/ipv6/conf/default/disable_ipv6"
fi
ip link set lo up
echo ready
if [ -n "$new" ]; then
	exec chroot "$new" /bin/cat
fi
exec cat
