// Package playerlist knows who is in a session: players, groups, who is in which group, and the session's
// description. It is the name table of [MC-DPL4CS] and of [MC-DPL8CS].
//
// It does no input or output, knows no clock and trusts nobody: whether a sender may do what a message says
// is for its caller to judge.
//
// # Operations
//
// A [List] changes only by an operation, an [Op]. Whoever decides (the host; in a session by DirectPlay 4
// rules each machine for itself) calls [List.Apply], which gives the operation the next number, from 1 on
// ([MC-DPL8CS] 2.2.6). Copies elsewhere follow with [List.ApplyAt], which refuses gaps and repeats. The same
// operations in the same order give the same list, octet for octet. An operation that is refused changes
// nothing. [List.Since] gives the operations after a number, as far back as a bounded log reaches. [Diff] gives the
// operations that turn one list into another one.
//
// # Order
//
// Everything is listed in order of joining: by the number of the operation that added it, lowest first. So the
// first system player of a list is the oldest machine. Members of a group stand in the order
// in which they came into it.
//
// # What the specifications leave open
//
// INGROUP: [MC-DPL4CS] 2.2.2 demands it for system players, for players that were added to a group and for
// groups that were added to one. A Windows host sets it for its normal player as well in a session without any
// group (facts, real-captures: 0xC). So this package sets it for all players, and for a group while a
// shortcut leads to it (a group that is in no other one comes as 0x48 from Windows). The flag is computed,
// never stored. An owner's own announcement lacks it, see [List.Packed].
//
// Groups inside groups: DELETEGROUP names one group. With it go the groups that were created in it, in any depth and
// whosever they are, as the public SDK has it of DestroyGroup (facts, 10.5); so they do when its owner leaves. A shortcut
// is not one that is in it.
//
// Shortcuts: a group may hold another one that holds it, even by a detour. Nothing follows shortcuts
// recursively, and the specification forbids none, so a refusal would only make lists differ from Windows'.
// A group cannot hold itself.
//
// The current number of players is that of the normal ones in the list (a Windows host with one player and
// two system players listed says 1; facts, 5.10). In a client/server session a client is not told of
// all, and counts those it knows.
//
// # Service provider data
//
// A list holds what was announced. Address 0.0.0.0 in it means the machine that announced it; to resolve that
// is for whoever knows the sockets.
//
// # Limits and memory
//
// See limits.go. Octets that go in are copied, and what comes out is a copy. A list of 8 machines with a
// player each takes about 10 KB. A List is not safe for use by several goroutines at once.
package playerlist
