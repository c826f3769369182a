// Package trainhost is a host for tests that talks as symmetrical-train does, the one host in the open that speaks the reliable
// protocol: a server for Lego Loco that takes shortcuts which no peer may hang at or be confused by. It is written anew from
// captures of that host, and knows nothing of the engine in package dpsp: its messages are put together with package wire
// alone, its frames with package wire/reliable.
//
// What is peculiar to it:
//
//   - It has one port number for everything, TCP and UDP, and takes that for everybody's: what SockAddr and service provider data
//     say of a joiner's ports is not looked at. A joiner is its IP address.
//   - Over TCP it takes one message a segment: what follows in it, and what is not whole, is lost. The version must be 14.
//   - It answers what a join takes, and no message else, over one connection of its own to the joiner. Who closes that is not
//     answered any more; the end of the joiner's own connection is its departure, and after that there can be a new one.
//   - From CREATEPLAYER on there are frames. It greets with one of its game's, messageid 1, sequence 1, and does so again
//     at each CREATEPLAYER; to the game's message 1004 it says the same again, messageid 2, in one frame however long.
//     All that it says is unreliable and said once.
//   - It acknowledges each frame with EOM or SAK by itself, whatever is missing before: RLY is copied, the serial echoed, and
//     its count of bytes received has frames with ACK in it as well. It has no window, no NACK and no retry.
//   - A frame that is not the next one of the message that began last is dropped without an answer. What is repeated is
//     delivered again, and of two messages at a time one is lost.
//   - Frames with EXT, of less than 6 octets, or to another index than that of its own system player, 0, are nothing to it.
//     Who they are from does not matter: the answer goes to that index. Those of 14384 to 16383, and many above, it gets wrong.
package trainhost
