// Package filter says what the machines of a bridged session may say to the game of this one, and has what a game says on
// ports that are not its slot's say what it would on those. It does no input and output.
//
// # What passes
//
// What has no signature behind its SP header is the game's own and passes as it comes; of a stream only its SP header is looked at.
// In a session with the reliable protocol a datagram is a frame, unless it has a header of its own size: see Session. In others what
// looks like a system message is one, as to Wine.
// A system message passes once all of it is there and was read: each SOCKADDR_IN in it, that of its header included, is 0.0.0.0 or
// 127.0.0.1 with a port of the plan; a header names a port of its sender's slot; and where there can be addresses there is one way
// to read it (facts, bridge 4). One of this machine with port 0 leads nowhere, and passes. What cannot be read does not pass: a datagram is
// dropped, and so is a message of a stream whose kind has no addresses; another one ends its stream. A stream passes octet for
// octet as far as it does.
//
// # What is changed
//
// What a Translation says, and one thing besides: an address of another machine whose port is a slot's, but neither ours nor that
// of who says so, is 127.0.0.1 afterwards. A host knows a machine of its own network by its address there, if it heard its search
// there, and tells the others so; the port leads to it (facts, bridge 1). Not where the message is signed.
//
// # What is not looked into
//
// Frames of the reliable protocol ([MC-DPL4R]), which nothing tells from a game's own datagrams and which split messages;
// bodies of SIGNED that are encrypted; what [MC-DPL8CS] messages say in our own extension, which no engine of ours takes an
// address from; and commands that nobody knows. A member of the session can have addresses of its own in those. Fragments of a
// system message pass only where its command has neither addresses nor a message in it.
package filter
