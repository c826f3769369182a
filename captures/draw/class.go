package draw

import (
	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// repeating are the classes of messages of which there are many of one kind.
var repeating = map[wire.Command]Class{
	wire.CmdPlayerMessage: Game, wire.CmdPlayerWrapper: Game, wire.CmdVoice: Game, wire.CmdPacket: Game, wire.CmdPacket2Data: Game,
	wire.CmdPacket2Ack: Game, wire.CmdPing: Ping, wire.CmdPingReply: Ping,
}

// carrying are the messages that are about the message in them, and about the game where that was not decoded.
var carrying = map[wire.Command]bool{
	wire.CmdAsk4Multicast: true, wire.CmdAsk4MulticastGuaranteed: true, wire.CmdMulticastDelivery: true, wire.CmdSigned: true,
}

// answering are the classes of frames that acknowledge others.
var answering = map[reliable.Kind]Class{reliable.KindACK: Answer, reliable.KindNACK: Missed}

// classOf says what a message is about, and whether it is of a kind that repeats: such messages are folded.
func classOf(r *captures.Record) (c Class, repeats bool) {
	if r.Err != nil {
		return Failed, false
	}
	if r.Step != nil {
		if c, ok := answering[r.Frame.Kind()]; ok {
			return c, true
		}
		if r.Step.Again+r.Step.Missing > 0 {
			return Again, true
		}
	}
	m := r.Envelope.Message
	if m != nil && carrying[m.Command()] {
		m = captures.Inside(m)
	}
	if m == nil {
		return Game, true // a frame of the reliable protocol without a whole message, or what is carried was not decoded
	}
	if x, ok := m.(*wire.Extension); ok {
		object, ok := x.Body.(*wire.ExtensionObject)
		return System, ok && (object.Op == wire.KindObjectUpdate || object.Op == wire.KindObjectAck)
	}
	c, repeats = repeating[m.Command()]
	return c, repeats
}

// labelOf returns the command of a message, and what has become of it: what is alike is folded by this name.
func labelOf(r *captures.Record) string {
	switch {
	case r.Step == nil:
	case r.Step.Again > 0:
		return r.Command() + " again"
	case r.Step.Missing > 0:
		return r.Command() + " after a gap"
	}
	return r.Command()
}
