package draw

import (
	"dplay4/captures"
	"dplay4/wire"
)

// classOf says what a message is about, and whether it is of a kind that repeats: such messages are folded.
func classOf(r *captures.Record) (c Class, repeats bool) {
	m := r.Envelope.Message
	switch {
	case r.Err != nil:
		return Failed, false
	case m == nil:
		return Game, true // a frame of the reliable protocol without a whole message
	}
	switch m := m.(type) {
	case *wire.PlayerMessage, *wire.PlayerWrapper, *wire.HeaderedPlayerMessage, *wire.Voice,
		*wire.Packet, *wire.Packet2Data, *wire.Packet2Ack:
		return Game, true
	case *wire.Ask4Multicast:
		return innerClass(&m.Inner)
	case *wire.Ask4MulticastGuaranteed:
		return innerClass(&m.Inner)
	case *wire.MulticastDelivery:
		return innerClass(&m.Inner)
	case *wire.Signed:
		return innerClass(&m.Inner)
	case *wire.Ping, *wire.PingReply:
		return Ping, true
	case *wire.Extension:
		object, ok := m.Body.(*wire.ExtensionObject)
		return System, ok && (object.Op == wire.KindObjectUpdate || object.Op == wire.KindObjectAck)
	}
	return System, false
}

// innerClass is that of a message inside another.
func innerClass(in *wire.Inner) (Class, bool) {
	switch in.Message.(type) {
	case nil, *wire.PlayerMessage, *wire.PlayerWrapper, *wire.HeaderedPlayerMessage:
		return Game, true
	}
	return System, false
}
