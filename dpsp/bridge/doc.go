// Package bridge lets the machines of a session be anywhere on the internet, behind any NAT, without a VPN, forwarded ports or
// administrator rights. To DirectPlay a bridged session looks like several instances of the game on one machine: each machine
// has a slot, a TCP and a UDP port on 127.0.0.1 that are the same on every machine, and each bridge holds the ports of all the
// others and stands for them. So no message has to be rewritten. See compat/facts/bridge.md.
//
// Share opens a session and Join enters one, by its code. A Session tells what happens by Events, which is closed behind Ended;
// Members says who is there, and how octets go there now. Kick sends a machine away, Cut parts it from this one alone,
// Answer lets a newcomer in or not, and Close says goodbye to the others.
package bridge
