// Package reliable plays the DirectPlay 4 Reliable Protocol, [MC-DPL4R], on one link: from a player of ours to one of
// another machine and back. It has no socket and no clock: [Link.Send] and [Link.Receive] say what is to go out and what came,
// [Link.Step] gives what is to be done, and when to call it again.
//
// Frames are those of package wire/reliable. Numbers like 3.1.5.2 are sections of [MC-DPL4R]; D1 to D7 are the questions
// that the specification leaves open (facts, reliable 8). The octets of frames of Windows were never seen, so a Link works
// with either answer, and notes which one a peer gives: see [Reading].
//
// # Sending
//
// One message is sent after the other, those of higher [Message.Priority] first. At most 24 messageids and 24 frames of
// reliable messages are under way (2.2.2). A frame is repeated when the peer says that it lacks it, once in a round trip, and
// when no acknowledgment came in the mean round trip and three deviations, twice as long each time. The timeout follows the
// acknowledgments: it is longer than the slowest of the latest ones, up to a quarter of a second, and twice that when an
// acknowledgment came for the first sending of a frame after it was repeated. On a machine that is busy they come late, and
// nothing is lost. Where a tenth or so is lost, the slowest one does not count, and the first three repeats come as soon as the
// first. A peer that acknowledges nothing new for 30 s and ten repeats is lost: [ErrLost].
//
// Towards a peer that is not known to be ours
//
//   - every message is sent as a reliable one (RLY), and each begins with sequence 1. Whether reliable and unreliable
//     messages have one space of messageids or two (D1) then makes no difference, nor where sequences begin (D4).
//   - what is missing behind the first gap is guessed: if much is lost, all that was sent once and should have come by now is sent
//     again with the frame that is known to be missing.
//   - an acknowledgment counts for all that was sent before, as 2.2.4 has it, unless its count of bytes received shows that
//     frames were lost (facts, reliable 10). Then what is older is repeated up to three times before it is believed, a message of
//     one frame up to ten times; and from then on an acknowledgment counts for the message that it names alone.
//   - a message of several frames shares the way with no other one that has RLY, and is sent from its beginning, up to ten times, when
//     nothing of it arrives any more: a peer with one buffer mixes messages up, and forgets what it acknowledged. One that sends
//     NACKs knows what it has.
//
// Between our own, [Link.Ours], unreliable messages are sent once, with messageids of the same space, and the sequences of
// reliable frames count on through the link, from one message to the next ("specifies the sequence space in which ACKs and
// NACKs are made", 2.2.2). So one NACK tells all that is missing, and a receiver sees that a messageid that never came was
// no reliable message.
//
// # Receiving
//
// Reliable messages go up in the order of their messageids, or with [Config.AnyOrder] as they are complete; unreliable ones
// at once and at most once. A messageid that is missing before a reliable message (D3) is asked for by NACK. It is passed
// over if the sequences show that no reliable message is missing, if an unreliable message had it and the peer has one
// space, if a later message was repeated and it did not come within two round trips and a second, and when the peer is 24
// messageids further.
//
// Unreliable messages of our own take the window of reliable ones along: their sender is done with what is 24 messageids
// before.
//
// # The way
//
// A [Path] is the way to one machine; all links there share its measure of the round trip and of what fits on it. How much
// is under way grows while the round trip stays short and shrinks to what arrives when it grows: by delay, not by loss, for
// a loss says little on the ways that need this protocol.
//
// # Limits
//
// Messages in a queue: [MaxQueue] and [MaxQueued] octets, of unreliable ones [MaxFleeting]. What comes in: [MaxWaiting]
// octets of complete messages that wait for their turn, beside wire/reliable's limits for unfinished ones; [Budget] bounds
// all links together. What is beyond is refused: a sender repeats what it was not told has arrived.
//
// Messageids have 8 bits, and nothing else in a frame tells an old one from a new one. So unreliable messages use at most 64
// messageids beyond those that the peer was heard to know. A frame that more than 160 others overtake can pass for a new one.
package reliable
