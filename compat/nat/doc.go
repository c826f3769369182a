// Package nat is an internet on one machine: homes behind routers that translate addresses in the ways that there are, and
// machines in them, each in namespaces of its own. Its tests play over it with "dplay bridge", as "make bridge-nat" does.
// It takes Linux, root, and the programs ip, nft, nsenter and mount. Nothing has a name outside, and when the process ends that
// made it, in whatever way, the kernel removes all of it.
package nat
