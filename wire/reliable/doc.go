// Package reliable turns the frames of the DirectPlay 4 Reliable Protocol into Go values and back, and puts
// messages together again that were sent in several frames.
//
// It knows no session, no socket, no clock: it does not decide when an ACK or a retry is due, and it does not
// read what is inside a message. That begins with 'play' or with the two ids of a game message and has no SP
// header: Decoder.DecodeBare of package wire reads it.
//
// # Frames
//
//	IdFrom (1-3) | IdTo (1-3) | DATA: flags, messageid, sequence, serial, [extended flags, NACK MASK], Data
//	                          | ACK:  flags, messageid, sequence, serial, bytes received (4), local tick count (4)
//	                          | NACK: flags, extended flags, messageid, sequence, bytes received (4),
//	                          |       local tick count (4), NACK MASK (0-3)
//
// A frame is one datagram; nothing in it says how long it is. [Decode], [Visit] and [Frame.Append] are its
// codec, [Assembler] collects Data frames. What was decoded encodes to the same octets.
//
// # Where the specification contradicts itself
//
// Sections 2 and 3 are normative, the examples of section 4 are not (section 1), so the former win:
//
//   - A NACK is told from an ACK by EXT alone. The table in section 2 also asks for a mask, but 2.2.3 lists
//     the size 0 and example 4.1.3 shows such a NACK: it reports the one frame that its sequence names.
//   - The extended flags stand behind the flags in a NACK (2.2.3), but behind the serial in a Data frame
//     (2.2.2). Both are read and written as drawn.
//   - A Data frame with EXT has a layout in 2.2.2, but there and in section 2 it is also a frame that must be
//     ignored. It is decoded, for people to look at, and [Frame.MustIgnore] is true; [Assembler.Add] obeys.
//   - The first messageid is 1 (2.2.2) and so is the first sequence (3.1.3), but example 4.1 begins both at
//     0. An encoder begins with [FirstMessageID] and [FirstSequence]; the Assembler takes whatever comes first.
//   - Footnote 2 says that Windows has no NACK, footnote 7 that it sends NACKs at once: expect them, and do
//     not depend on them.
//
// # What it leaves open
//
// Bit 0 of a mask is the sequence after the one in the NACK (the example in 2.2.2). That a mask of several
// octets has its nearest sequences in the first one, and that COMMAND is the low end of the extended flags,
// follows the other fields of this protocol family, which are little-endian and drawn from their lowest bit.
// Section 2.2.1 gives no length to the index 16384; it does not fit in two octets, so it takes three.
//
// # Sources
//
// Section numbers are those of [MC-DPL4R] unless the comment says otherwise.
package reliable
