package link

import "time"

// Limits of what is decoded and held.
const (
	// MaxTags bounds the VLAN tags of a frame. Real ones have at most three.
	MaxTags = 8
	// MaxExtensions bounds the extension headers of an IPv6 packet. RFC 8200 4.1 has at most seven.
	MaxExtensions = 16
	// FragmentTimeout is how long after its first fragment, by the clock of the capture, a datagram is given up.
	// RFC 1122 3.3.2 recommends 60 s or more, Linux waits 30 s; a busy sender's 65536 identifiers come round sooner.
	FragmentTimeout = 30 * time.Second
	// MaxDatagrams is how many unfinished datagrams are held; the oldest is given up for a new one.
	MaxDatagrams = 256
	// MaxFragments is how many fragments, repeated ones counted, a datagram may have: the longest datagram
	// (65535 octets) over the smallest link that IPv4 allows (68 octets, RFC 791) takes 1366.
	MaxFragments = 2048
	// MaxHeldOctets bounds the octets of all unfinished datagrams together; the oldest are given up for a new one.
	MaxHeldOctets = 4 << 20
)
