// Package link turns packets into TCP segments and UDP datagrams.
//
// It strips link, IP, TCP and UDP headers and puts IP fragments together. It follows no connection and orders no
// segments, and it does not look at what a segment carries.
//
// # Headers
//
// Ethernet with VLAN tags (802.1Q, 802.1ad) and PPPoE, Linux SLL and SLL2, BSD loopback, raw IP, PPP; IPv4; IPv6
// with hop-by-hop, routing, destination options and fragment headers; TCP and UDP. Tunnels (IP in IP, GRE, ESP)
// are skipped.
//
// # What counts as malformed
//
// What the receiving machine would have dropped: a header that does not fit into what it stands in, a length below
// its own header's or above what was on the wire. A packet that the snap length cut is no such thing: it gives a
// unit whose Cut says how much is missing, or is skipped as [WhyCut] if the cut is in the headers. Options that
// make no sense are passed over, because the data behind them is where it is regardless.
//
// Checksums are not verified: machines capture what they send before their network adapter computes them, so half
// of the packets of a good capture have wrong ones. For the same reason an IPv4 total length or IPv6 payload
// length of 0 (segmentation offload) means all that was on the wire.
//
// # gopacket
//
// Headers are decoded by the DecodeFromBytes of gopacket's layers, into structs that are reused, each after its
// lengths were checked here, so that no input can make gopacket fail. They are given the header alone, and the
// payload is cut out here: layers.IPv4 counts in 16 bits where the length field is 0, layers.IPv6 counts
// hop-by-hop options twice and allocates each, layers.LinuxSLL panics at address lengths that occur, and PPP,
// PPPoE and the IPv6 fragment header have no DecodeFromBytes. IPv6, its extension headers, SLL, PPP and PPPoE are read here.
//
// # Memory
//
// A Decoder holds fragments within the limits of limits.go, at most 12 MiB, and the reports of one packet. Nothing else grows.
// Packets that are no fragments allocate nothing.
package link
