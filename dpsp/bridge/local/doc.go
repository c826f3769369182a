// Package local is the bridge's side of the machine that it runs on: sockets on loopback that stand for the games of the other
// machines, each on the ports of its slot, and what hands the game of this machine what theirs say.
//
// # What it holds
//
// All ports of the plan but those of our slot, so that the game that comes lands on them, whether it comes before or after the
// others: TCP 2300-2349 and UDP 2350-2399. On Linux at 127.0.0.1, which keeps a game from all addresses; elsewhere, where it
// does not, at all addresses, and whoever is not of this machine is refused. A connection to a slot becomes a stream of the
// link to its machine, and ends as it did: in good order, each half for itself, or at once. Where nobody is in a slot
// connections are refused.
//
// Another program may have such a port. If it is one of our slot's, so that no game gets both, the user is told, and nothing is
// delivered to that program (tenant). If it is a member's, the game does not reach that member and plays with the others; so the
// plan that messages are checked by has it nonetheless.
//
// # Games on other ports
//
// A game may be on ports of its own: it was there before, or has ports that a player sets in it, such as one number for TCP and
// UDP. When it searches it says which (found), when it hosts it has 47624 (owner); then what it says is translated. There is one
// game a machine.
//
// # 47624
//
// That is where games look for sessions, and hosts answer. Each bridge tells the others whether its game is host: whether the
// program on the ports of its slot has the port as well, or dplaysvr.exe does, which has it for games on Windows. A bridge
// holds it only while another machine has a host and its own game is in no session: it hears the game look, and hands that to
// the others. So nobody has to know who is host, and as long as nobody is any game may become one. While one is, the games of the
// others can join and not host (Elsewhere), unless their users want it (LetHost).
package local
