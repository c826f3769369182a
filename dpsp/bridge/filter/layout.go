package filter

import (
	"bytes"
	"cmp"

	"dplay4/wire"
)

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
		l.strict = l.strict || bears[wire.Command(f.Num)]
		l.signed = l.signed || wire.Command(f.Num) == wire.CmdSigned
	case "Size":
		l.size, l.sum = f.Num, wire.PackedPlayerFixed
	case "ShortNameLength", "LongNameLength", "ServiceProviderDataSize", "PlayerDataSize":
		l.sum += f.Num
	}
	if size, ok := sizes[f.Name]; ok && l.size != cmp.Or(size, l.sum) {
		l.not(f, "the size of its structure is not what that comes to")
	}
}

// sizes has the fields that each stand in one kind of structure, and that structure's size. The size of a DPLAYI_PACKEDPLAYER is 0
// here: it is without the IDs, and depends on the lengths before FixedSize (facts, 3.5).
var sizes = map[string]uint32{"FixedSize": 0, "PlayerInfoMask": wire.SuperPackedPlayerSize, "InstanceGUID": wire.SessionDescSize}

// not notes what is not so of a field.
func (l *layout) not(f *wire.Field, reason string) {
	l.odd = cmp.Or(l.odd, &Violation{Field: f.Name, Offset: wire.SPHeaderSize + f.Offset, Reason: reason})
}

// zeros reports whether octets are zeros alone.
func zeros(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }

// ended reports whether a text ends with its first terminator.
func ended(b []byte) bool {
	for i := 0; i+1 < len(b); i += 2 {
		if b[i]|b[i+1] == 0 {
			return i+2 == len(b)
		}
	}
	return false
}

// bears has the commands whose messages can have addresses or other messages in them, whoever reads them. Some readers look for a
// player in all messages that begin as CREATEPLAYER does, because those can have a CreateOffset.
var bears = map[wire.Command]bool{
	wire.CmdEnumPlayersReply: true, wire.CmdSuperEnumPlayersReply: true, wire.CmdIAmNameServer: true, wire.CmdPlayerMessage: true,
	wire.CmdCreatePlayer: true, wire.CmdCreateGroup: true, wire.CmdAddForwardRequest: true, wire.CmdAddForward: true,
	wire.CmdCreatePlayerVerify: true, wire.CmdDeletePlayer: true, wire.CmdDeleteGroup: true, wire.CmdAddPlayerToGroup: true,
	wire.CmdDeletePlayerFromGroup: true, wire.CmdAddShortcutToGroup: true, wire.CmdDeleteGroupFromGroup: true,
	wire.CmdPacket: true, wire.CmdPacket2Data: true, wire.CmdSigned: true, wire.CmdAsk4Multicast: true,
	wire.CmdAsk4MulticastGuaranteed: true, wire.CmdMulticastDelivery: true,
}
