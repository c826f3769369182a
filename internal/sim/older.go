package sim

import (
	"dplay4/dpsp"
	"dplay4/wire"
)

// An older release of this program knows HELLO, TABLE and objects, and drops what later releases say of parts of a session, and
// of messages that arrived. Beside machines with views it has the rules without them, and another mark.

// outdate notes on the timeline which machines have an older release.
func (w *World) outdate() {
	for _, l := range w.lanes {
		if l.older {
			w.moment(l, "older", "has an older release: it neither sends nor takes CLAIM, REJOINAT, REJOIN, FORMERS and ARRIVED")
		}
	}
}

// kindOf returns what kind of input octets become that are sent in a way.
func kindOf(by dpsp.Transport) dpsp.Kind {
	if by == dpsp.TCP {
		return dpsp.Stream
	}
	return dpsp.Datagram
}

// unknownToOlder reports whether a message is of a kind that an older release neither sends nor takes. In frames there is none:
// machines that know the extension say it over connections, and in datagrams.
func (w *World) unknownToOlder(kind dpsp.Kind, data []byte) bool {
	var env wire.Envelope
	var err error
	switch kind {
	case dpsp.Stream:
		env, err = w.decoder.DecodeStream(data)
	case dpsp.Datagram:
		env, err = w.decoder.DecodeDatagram(data)
	default:
		return false
	}
	if err != nil || !env.System() {
		return false
	}
	x, ok := env.Message.(*wire.Extension)
	if !ok {
		return false
	}
	switch x.Kind {
	case wire.KindClaim, wire.KindRejoinAt, wire.KindRejoin, wire.KindFormers, wire.KindArrived:
		return true
	}
	return false
}
