package filter

import "dplay4/wire"

// A layout is what is noticed, while the fields of a message are read, of how they stand in it. Others read by other things than
// package wire does: Wine 10 has a player begin at octet 28, whatever CreateOffset says (facts, bridge 4). So where a message can
// have addresses, all its fields stand one behind the other as the specification's figures have them, behind them are zeros alone,
// and its sizes are what they come to. Then there is one way to read it.
type layout struct {
	strict bool       // the message can have addresses, or one inside it
	signed bool       // a message in it is signed
	odd    *Violation // the first field that is not so
	end    int        // of the field before
	size   uint32     // what the structure in work says of its own
	sum    uint32     // what it comes to, so far
}

// see is shown the fields of a message and the brackets around them, in the order of reading. Octets of no part come last.
func (l *layout) see(f *wire.Field) {
	if f.Offset != l.end || f.Kind == wire.KindStray && !zeros(f.Raw) {
		l.not(f, "it is not where the specification has it")
	}
	l.end = f.Offset + f.Size
	if f.Kind == wire.KindText && !ended(f.Raw) {
		l.not(f, "it ends before its length does")
	}
	switch f.Name {
	case "Command":
		l.strict = l.strict || bears(wire.Command(f.Num))
		l.signed = l.signed || wire.Command(f.Num) == wire.CmdSigned
	case "Size":
		l.size, l.sum = f.Num, wire.PackedPlayerFixed
	case "ShortNameLength", "LongNameLength", "ServiceProviderDataSize", "PlayerDataSize":
		l.sum += f.Num
	case "FixedSize": // of a DPLAYI_PACKEDPLAYER, whose size is without its ids (facts, 3.5)
		l.sized(f, l.sum)
	case "PlayerInfoMask":
		l.sized(f, wire.SuperPackedPlayerSize)
	case "InstanceGUID":
		l.sized(f, wire.SessionDescSize)
	}
}

// sized says what the size of the structure is that a field stands in.
func (l *layout) sized(f *wire.Field, size uint32) {
	if l.size != size {
		l.not(f, "the size of its structure is not what that comes to")
	}
}

// not notes what is not so of a field.
func (l *layout) not(f *wire.Field, reason string) {
	if l.odd == nil {
		l.odd = &Violation{Field: f.Name, Offset: wire.SPHeaderSize + f.Offset, Reason: reason}
	}
}

// zeros reports whether octets are zeros alone.
func zeros(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// ended reports whether a text ends with its first terminator.
func ended(b []byte) bool {
	for i := 0; i+1 < len(b); i += 2 {
		if b[i]|b[i+1] == 0 {
			return i+2 == len(b)
		}
	}
	return false
}

// bears reports whether messages of a command can have addresses, or other messages in them, to whoever reads them: what begins
// as CREATEPLAYER does may have a player to somebody, if it has a CreateOffset.
func bears(c wire.Command) bool {
	switch c {
	case wire.CmdEnumPlayersReply, wire.CmdSuperEnumPlayersReply, wire.CmdIAmNameServer, wire.CmdPlayerMessage,
		wire.CmdCreatePlayer, wire.CmdCreateGroup, wire.CmdAddForwardRequest, wire.CmdAddForward, wire.CmdCreatePlayerVerify,
		wire.CmdDeletePlayer, wire.CmdDeleteGroup, wire.CmdAddPlayerToGroup, wire.CmdDeletePlayerFromGroup,
		wire.CmdAddShortcutToGroup, wire.CmdDeleteGroupFromGroup,
		wire.CmdPacket, wire.CmdPacket2Data, wire.CmdSigned, wire.CmdAsk4Multicast, wire.CmdAsk4MulticastGuaranteed,
		wire.CmdMulticastDelivery:
		return true
	}
	return false
}
