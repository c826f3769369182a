// Package dpl8 turns the octets of the DirectPlay 8 core protocol's messages into Go values and back, and does nothing
// else: [Decode], [Visit] and [Append]. Section numbers are those of [MC-DPL8CS].
//
// # What is covered
//
// All messages that begin with a packet type: connecting, the name table and its operations, disconnecting, integrity
// check, host migration (2.2.1, 2.2.2), process completion (2.2.3.2, 2.2.3.3), groups (2.2.4) and updates (2.2.5), with
// DN_NAMETABLE_ENTRY_INFO, DN_NAMETABLE_MEMBERSHIP_INFO and the making of a DPNID (2.2.7).
//
// # What is not
//
// DN_SEND_DATA (2.2.3.1) is application data without a packet type; the frame that carries it says so (2.1.1). Frames
// are [MC-DPL8R], session enumeration is [MC-DPLHP]: other protocols. What a URL says (2.2.8) and alternate addresses
// (2.2.9, 2.2.10) are kept as octets: no rule of the name table depends on them.
//
// # Octets in, equal octets out
//
// What was decoded encodes to the same octets. Unused fields are kept; parts that stand where no encoder would have
// put them, and octets that belong to no field, are remembered in the message's [Layout]. Texts and URLs are kept as
// they are, with or without a terminator, since a size field says where they end.
//
// # Offsets
//
// Every offset field counts from behind the packet type, and so does [Stray].Offset. The offsets in errors and fields
// count from the message's first octet, 4 more. An offset is an untrusted pointer: it must stay inside the message,
// and no two parts may overlap. A part whose offset or size is zero is absent; what the other field says is kept.
//
// # Where the specification leaves room
//
// The example of section 4 decides. DN_SEND_CONNECT_INFO: after the fixed part come the parts of the last entry, then
// of the one before it, up to the first; of each its URL, data and name; then the session's own, the reply last. The
// same order is taken for the operations of DN_ACK_NAMETABLE_OP, of which there is no example; 2.2.2.10 can be read to
// mean that each operation's octets stand directly behind its three fields, but a fixed array in front of what its
// offsets point to is how all other messages are built, so that is what is read and written; two or more operations
// laid out the other way are refused, for the first one then begins inside that array. DN_CREATE_GROUP: see
// [CreateGroup]. Packet types whose names the specification repeats (0xCC, 0xE4) go by the title of their section.
//
// # Memory
//
// Texts, data and payloads alias the decoded buffer; copy what must outlive it. Lists are allocated only after their
// count was checked against the octets that are left and against MaxList.
package dpl8
