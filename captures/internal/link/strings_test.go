package link

import (
	"fmt"
	"strconv"
)

// The words of this file are for tests alone: programs are told of findings, not of every packet.

// String returns the kind in one word.
func (k Kind) String() string {
	switch k {
	case KindUnit:
		return "unit"
	case KindHeld:
		return "held"
	case KindSkipped:
		return "skipped"
	case KindMalformed:
		return "malformed"
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

// String says it in a line.
func (s Status) String() string {
	switch s.Kind {
	case KindSkipped:
		return "skipped: " + s.Reason.String()
	case KindMalformed:
		where := " at octet "
		if s.Frames != nil {
			where = " of the reassembled datagram at octet "
		}
		return "malformed: " + s.Layer + where + strconv.Itoa(s.Offset) + ": " + s.Text
	}
	return s.Kind.String()
}

// String says it in a few words: a line of a summary.
func (r Reason) String() string {
	switch r.Why {
	case WhyARP:
		return "ARP"
	case WhyICMP:
		return "ICMP"
	case WhyICMPv6:
		return "ICMPv6"
	case WhyIGMP:
		return "IGMP"
	case WhyNoNext:
		return "IPv6 without content"
	case WhyLLC:
		return "IEEE 802.3 LLC"
	case WhyCut:
		return "headers cut by the snap length"
	case WhyIPProtocol:
		return "IP protocol " + strconv.Itoa(int(r.Value))
	case WhyEtherType:
		return fmt.Sprintf("EtherType 0x%04x", r.Value)
	case WhyPPP:
		return fmt.Sprintf("PPP protocol 0x%04x", r.Value)
	case WhyFamily:
		return "address family " + strconv.FormatUint(uint64(r.Value), 10)
	case WhyLinkType:
		return "link type " + strconv.FormatUint(uint64(r.Value), 10)
	}
	return "Why(" + strconv.Itoa(int(r.Why)) + ")"
}
