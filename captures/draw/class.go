package draw

import (
	"dplay4/captures"
	"dplay4/wire"
	"dplay4/wire/reliable"
)

// classOf says what a message is about, and whether it is of a kind that repeats: such messages are folded.
func classOf(r *captures.Record) (c Class, repeats bool) {
	m := r.Envelope.Message
	switch {
	case r.Err != nil:
		return Failed, false
	case r.Step != nil && r.Frame.Kind() == reliable.KindACK:
		return Answer, true
	case r.Step != nil && r.Frame.Kind() == reliable.KindNACK:
		return Missed, true
	case r.Step != nil && r.Step.Again+r.Step.Missing > 0:
		return Again, true
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

// innerClass is that of a message inside another.
func innerClass(in *wire.Inner) (Class, bool) {
	switch in.Message.(type) {
	case nil, *wire.PlayerMessage, *wire.PlayerWrapper, *wire.HeaderedPlayerMessage:
		return Game, true
	}
	return System, false
}
