# The first process of a machine, started in namespaces of its own: network, processes, mounts, host name. Its argument is the
# host's name. It says "ready", then lives until its standard input ends; with it ends everything in the machine.
set -eu
mount --make-rprivate /
mount -t proc proc /proc
echo "$1" >/proc/sys/kernel/hostname
for key in all default; do # IPv6 addresses are there at once
	echo 0 >/proc/sys/net/ipv6/conf/$key/accept_dad
done
ip link set lo up
echo ready
exec cat
