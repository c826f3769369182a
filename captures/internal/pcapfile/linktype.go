package pcapfile

// A LinkType says with which header the packets of an interface begin: a LINKTYPE_ number of the registry
// at tcpdump.org. It is not layers.LinkType, which has 8 bits: there 276 (LinuxSLL2) turns into 20 and 257
// into Ethernet.
type LinkType uint32

// The link types that package link can strip.
const (
	LinkNull      LinkType = 0   // BSD loopback: address family in the byte order of the capturing machine
	LinkEthernet  LinkType = 1   // IEEE 802.3
	LinkPPP       LinkType = 9   // PPP, with or without HDLC framing octets
	LinkRawBSD    LinkType = 12  // raw IP: DLT_RAW of most systems, written to files by mistake
	LinkRawOBSD   LinkType = 14  // raw IP: DLT_RAW of OpenBSD, the same
	LinkPPPHDLC   LinkType = 50  // PPP in HDLC-like framing (RFC 1662)
	LinkPPPoE     LinkType = 51  // PPP over Ethernet (RFC 2516), without the Ethernet header
	LinkRaw       LinkType = 101 // raw IP, version 4 or 6
	LinkLoop      LinkType = 108 // OpenBSD loopback: address family in network byte order
	LinkLinuxSLL  LinkType = 113 // Linux "any" device, 16 octets
	LinkIPv4      LinkType = 228 // raw IPv4
	LinkIPv6      LinkType = 229 // raw IPv6
	LinkLinuxSLL2 LinkType = 276 // Linux "any" device, 20 octets
)
