// Package wire turns the octets of DirectPlay 4 messages into Go values and back, and does nothing else.
//
// It knows no session, no socket, no clock: what depends on a session (does it omit message ids?) is an
// argument, [Options].
//
// # Layers of one message
//
// On TCP, and on UDP for system messages, a message is
//
//	SPHeader (20 octets) | Header (8 octets: 'play', command, version) | body
//
// and a game message is the SP header followed by two player ids and the game's own octets. On UDP a game
// message has no header at all. [Decoder.DecodeStream] and [Decoder.DecodeDatagram] tell these apart;
// [Decoder.DecodeMessage] decodes what begins with the signature. [Envelope.Append] and [AppendMessage] encode.
//
// What comes over TCP is a stream. [SplitStream], for a bufio.Scanner, or [FrameSize] cut it into messages.
//
// # Octets in, equal octets out
//
// What was decoded encodes to the same octets. Fields that the specification calls ignored are kept; names
// stay in the encoding in which they came ([Text]); parts that stand where no encoder would have put them,
// and octets that belong to no field, are remembered in the message's [Layout].
//
// # Offsets
//
// Every offset field inside a message counts from the 'play' signature, and so do the offsets in
// [DecodeError] and [Field]: add 20 for the octet of a message that has an SP header. An offset is an
// untrusted pointer: it must stay inside the message, and no two parts may overlap.
//
// # Memory
//
// Texts, data and payloads alias the decoded buffer; copy what must outlive it. Lists are allocated only
// after their count was checked against the octets that are left and against a limit of this package.
//
// # Sources
//
// Section numbers are those of [MC-DPL4CS]. Where captures or Wine's tests of Windows contradict the
// specification the code follows them, and the comment says so.
package wire
