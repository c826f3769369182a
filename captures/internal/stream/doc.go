// Package stream puts the octets of captured TCP streams in order and accounts for every one of them.
//
// It reads no file and decodes no header: the caller hands it segments, one after the other, and is handed
// chunks. Each direction of a connection is a stream of its own; the package does not look at acknowledgements
// and does not know that two streams belong together.
//
// # Why not gopacket's reassembly
//
// In github.com/google/gopacket/reassembly (1.1.19) Sequence.Difference adds 2^32-1 where sequence numbers
// wrap, so a retransmission across the wrap is delivered with an octet that was delivered before. It cannot
// tell which frame an octet came from: there is only a CaptureInfo, and a held back segment of more than 1900
// octets has none after its first 1900 (asking for it panics). Of octets that came twice, the later ones win
// while they wait, and nobody is told that they differ.
//
// # What is delivered
//
// The octets that came first win. What comes again is compared with what is there, as far as it is still
// known (limits.history), and counted as Duplicate and Conflict. A segment of one octet right before the next
// is a keep-alive: a Duplicate, whatever it holds.
//
// A segment beyond a gap waits. The gap is given up (a chunk then says how much was Lost) when more than
// limits.heldSegments pieces or limits.heldOctets octets of the stream wait; when one waited for
// limits.gapAge; when all streams together hold more than limits.heldTotal; when the stream is ended by a RST,
// by a SYN, to make room, or by [Assembler.Flush]. Octets that come after their gap was given up are Stray, and
// Late as long as the gap is among the last 16 of the stream; after that they are taken for duplicates.
//
// Octets that the capture cut off ([Segment].Cut) are a gap that is known to be one: it is given up as soon as
// more than limits.cutSegments pieces wait behind it. The octets before the cut are delivered at once.
//
// # Where a stream begins
//
// A SYN begins a stream. The same SYN again does nothing; a SYN with another number is a new connection
// between the same ports: the old stream ends and a new one begins. Without a SYN the first segment with payload
// begins a stream, which is then Midway, and is delivered at once. Segments from before it that come later were
// reordered, or are retransmissions of what the capture missed: if nothing was delivered or lost yet (the first
// segment was all cut) the stream begins with them, otherwise they are Stray and Before. A SYN from shortly
// before a Midway stream is its own, late. A FIN or RST alone begins nothing.
//
// # Where it ends
//
// After the octets before a FIN or RST; and at once, with what waits, when a RST stands at or before the next
// octet. Octets after the end are Stray. The stream is remembered for a while, so that late segments are
// still counted as its own. The other direction does not end with it, not even by a RST.
//
// # What is not believed
//
// A segment that begins more than limits.window octets before or after the next one is Stray, unless the very
// next segment of the stream that is not a mere ACK begins where it ended, or up to 65,536 octets later. Then
// the stream goes on there, with a gap, if that is forwards by at most limits.jump; otherwise a capture that
// missed a SYN is likelier, and a new Midway stream begins. The same makes a new stream of what goes on after a
// FIN or RST. Of a FIN and octets after it, or two FINs, what came first is believed.
//
// What cannot be told: a keep-alive that opens a Midway stream, or follows octets that the capture missed, is
// taken for data; so is a forged segment inside the window, if it comes before the true one.
//
// # Memory and time
//
// All that is kept is bounded by limits: at most heldTotal octets wait (and 4 MiB of buffers are kept for
// reuse), and each of limits.streams streams has a history. The next octets of a stream for which nothing waits are
// handed to the handler as they are, in the caller's slice, without allocation; the copy for the history is the
// only one. The time that counts is that of the segments; there is no clock. Equal segments give equal
// chunks.
package stream
