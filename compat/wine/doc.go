// Package wine runs Wine 10's stock dplayx, an implementation of DirectPlay 4 that nobody here wrote, against
// this project: in a laboratory of network namespaces on one machine. All of it is tests: the package exports nothing to others, and
// what is described here is in its files that end in _helper_test.go.
//
// # The laboratory
//
// A [Lab] is a switch and the machines plugged into it, each a set of Linux namespaces of its own: network,
// processes, mounts, host name. They have addresses of 192.0.2.0/24 (documentation, RFC 5737) and no way out.
// Wine looks for sessions by broadcast, so its client runs in such a machine or not at all.
//
// Nothing of a lab has a name outside of it. The first process of each machine ends when the pipe to its maker
// does, and with it goes everything that runs there, everything that is mounted there, the network: however the
// maker ends, also by SIGKILL. There is nothing to clean up.
//
// A Wine machine ([Lab.Wine]) has the folder that setup.sh made as its root, under an overlay in memory: it
// starts with a copy of the same configuration, and leaves no trace. [Machine.Command] runs a program in a machine,
// [Machine.Inside] a part of the program that made the lab (see [RunInside]), [Lab.Record] records what passes
// the switch.
//
// # The client
//
// The folder client holds a DirectPlay program in C that takes a command a line and answers with a line of JSON,
// and writes one for every message that DirectPlay delivers. [Client.Do] gives a command and waits for its result;
// [Client.Wait] waits for an event. README.md lists the commands.
//
// # What it needs
//
// Linux, root, network namespaces and overlayfs, the programs ip and nsenter, gcc-mingw-w64-i686, and the folder that
// setup.sh makes. What is missing is an error that is [ErrMissing], so that a test can be skipped; the tests fail
// instead where the environment variable DPLAY_REQUIRE_WINE is set to something other than the empty string.
package wine
