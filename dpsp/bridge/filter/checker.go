package filter

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"

	"dplay4/wire"
)

// A Rule is what the machine in a slot may say.
type Rule struct {
	From Ports        // of its slot: a header names its TCP port
	Plan func() *Plan // what the game may be told of at the moment
	// Framed, if not nil, reports whether our game's datagrams are frames at the moment: see Session.
	Framed func() bool
	// Heard, if not nil, is shown the system messages that pass. They are valid during the call.
	Heard func(wire.Message)
	// Dropped, if not nil, is told of a message that does not pass on a stream which goes on: a *Violation.
	Dropped func(error)
	// Taken, if not nil, is told of each address that was another machine's and is 127.0.0.1 now.
	Taken func(wire.SockAddr)
}

// A checker reads messages with their SP headers. It is for one goroutine.
type checker struct {
	rule  Rule
	plan  *Plan
	dec   wire.Decoder
	stand layout
	found *Violation // what the visitor did not like, the first of it
	taken []int      // where addresses stand that are to be 127.0.0.1, from the signature
}

func newChecker(rule Rule) *checker {
	c := &checker{rule: rule}
	c.dec.Options.NoMessageID = true // ids are not looked at, and without them more can be read
	c.dec.Visitor = c.see
	return c
}

// header checks an SP header.
func (c *checker) header(b []byte) *Violation {
	a := wire.ParseSockAddr(b[4:])
	switch {
	case !here(a):
		return &Violation{Message: "SPHEADER", Field: "SockAddr", Offset: 4, Reason: a.String() + " is not an address of the session"}
	case a.Port != c.rule.From.TCP:
		return &Violation{Message: "SPHEADER", Field: "SockAddr", Offset: 4, Reason: a.String() + " is not its sender's"}
	}
	return nil
}

// system checks a system message, all of it, from its SP header on. Addresses that are taken for a slot's are written over.
func (c *checker) system(b []byte) *Violation {
	if v := cmp.Or(whole(b), c.header(b)); v != nil {
		return v
	}
	c.plan, c.stand, c.found, c.taken = c.rule.Plan(), layout{}, nil, c.taken[:0]
	h, m, err := c.dec.DecodeMessage(b[wire.SPHeaderSize:])
	if err != nil {
		v := unreadable(err)
		v.alone = h.Command.Known() && !bears[h.Command]
		return v
	}
	c.inner(m)
	if c.stand.strict {
		c.found = cmp.Or(c.found, c.stand.odd)
	}
	if c.found != nil {
		c.found.Message = m.Command().String()
		return c.found
	}
	for _, at := range c.taken {
		a := b[wire.SPHeaderSize+at:]
		if c.rule.Taken != nil {
			c.rule.Taken(wire.ParseSockAddr(a))
		}
		copy(a[4:], []byte{127, 0, 0, 1})
	}
	if c.rule.Heard != nil {
		c.rule.Heard(m)
	}
	return nil
}

// unreadable is the violation of what does not decode.
func unreadable(err error) *Violation {
	var d *wire.DecodeError
	if !errors.As(err, &d) {
		return &Violation{Reason: err.Error()}
	}
	return &Violation{Message: d.Message, Field: d.Field, Offset: wire.SPHeaderSize + d.Offset, Reason: d.Err.Error()}
}

// see is shown the fields of a message.
func (c *checker) see(f *wire.Field) {
	c.stand.see(f)
	reason := ""
	switch {
	case f.Kind == wire.KindSockAddr:
		reason = c.address(f, wire.ParseSockAddr(f.Raw))
	case f.Kind == wire.KindOctets && isSPData(f) && !bytes.Equal(f.Raw, make([]byte, wire.SPDataSize)):
		reason = "these are not the addresses of two sockets"
	}
	if reason != "" {
		c.found = cmp.Or(c.found, &Violation{Field: f.Name, Offset: wire.SPHeaderSize + f.Offset, Reason: reason})
	}
}

// address checks an address, and returns why it must not pass.
//
// A game that hears a search of its own network knows that machine by its address there, and tells the others so. Where that
// machine has a bridge its game is on the ports of its slot, and those lead to it from everywhere. But a machine without a bridge
// has the first ports that are free, which are our slot's or the sender's, if anybody's.
func (c *checker) address(f *wire.Field, a wire.SockAddr) (reason string) {
	udp := isDatagram(f)
	planned := c.plan.has(a.Port, udp)
	switch {
	case here(a) && (planned || a.Port == 0), a == (wire.SockAddr{}): // the latter is of a machine of which a VIEW names the id alone
	case !planned || a.Family != wire.FamilyINet || c.stand.signed:
		return a.String() + " is not an address of the session"
	case a.Port == *c.rule.From.Of(udp) || a.Port == *c.plan.ours.Of(udp):
		return a.String() + " is a machine without a bridge: start one there"
	default:
		c.taken = append(c.taken, f.Offset)
	}
	return ""
}

// isDatagram reports whether an address is that of a UDP socket. All others are of TCP.
func isDatagram(f *wire.Field) bool { return f.Name == "Datagram" }

// isSPData reports whether a field is service provider data. What is two SOCKADDR_IN is shown as those.
func isSPData(f *wire.Field) bool { return f.Name == "ServiceProviderData" || f.Name == "SPData" }

// inner checks messages inside a message that the decoder left alone: fragments.
func (c *checker) inner(m wire.Message) {
	switch m := m.(type) {
	case *wire.Packet, *wire.Packet2Data:
		c.fragment(packetOf(m))
	case *wire.Signed:
		c.inner(m.Inner.Message)
	case *wire.Ask4Multicast:
		c.inner(m.Inner.Message)
	case *wire.Ask4MulticastGuaranteed:
		c.inner(m.Inner.Message)
	case *wire.MulticastDelivery:
		c.inner(m.Inner.Message)
	}
}

// fragment checks one of a message's fragments. What a message is, its first 8 octets say, which are in its first fragment and
// in no other, whether a receiver goes by the index or by the offset; and that one is not all of it, whether it goes by how many
// there are or by how large it is.
func (c *checker) fragment(p *wire.Packet) {
	data, reason := p.Data.Octets, ""
	switch {
	case p.Data.Message != nil: // all of it is in this one
		c.inner(p.Data.Message)
		return
	case p.Total <= 1, p.MessageSize <= uint32(len(data)):
		reason = "it is a fragment of one, but not all"
	case (p.Index == 0) != (p.Offset == 0), p.Offset > 0 && p.Offset < wire.HeaderSize:
		reason = "the fragment is not where its index says"
	case p.Index > 0: // its first octets say nothing
		return
	case len(data) < wire.HeaderSize:
		reason = "a first fragment that does not say what it is of"
	case wire.HasSignature(data) && !plain[wire.Command(binary.LittleEndian.Uint16(data[4:]))]:
		reason = "a fragment of a message that can have addresses"
	default:
		return
	}
	c.found = &Violation{Field: "PacketData", Offset: wire.SPHeaderSize, Reason: reason}
}

// plain has the commands of messages that come in fragments and have neither addresses nor other messages in them.
var plain = map[wire.Command]bool{
	wire.CmdChat: true, wire.CmdVoice: true, wire.CmdPlayerWrapper: true, wire.CmdPlayerDataChanged: true,
	wire.CmdPlayerNameChanged: true, wire.CmdGroupDataChanged: true, wire.CmdGroupNameChanged: true,
	wire.CmdSessionDescChanged: true,
}
