package filter

import (
	"encoding/binary"

	"dplay4/wire"
)

// A Translation is between what the session knows of a machine's game and where that is: on ports of its own, where it was
// before the bridge. What stands for another slot there is on the ports of the game's slot instead. The zero value changes
// nothing.
type Translation struct{ Game, Slot Ports }

// Port returns the port of the plan for one of this machine, and the other way round.
func (t Translation) Port(port uint16, datagram bool) uint16 {
	switch game, slot := *t.Game.Of(datagram), *t.Slot.Of(datagram); port {
	case game:
		return slot
	case slot:
		return game
	}
	return port
}

// Changes reports whether anything is changed.
func (t Translation) Changes() bool { return t.Game != t.Slot }

// A Translator changes the ports in messages, in place, and no other octet: those of addresses that are this machine's, in SP
// headers and wherever else a message has any. Doing it twice changes nothing. Messages in the frames of the reliable protocol,
// encrypted ones, and fragments are left as they are. It is for one goroutine.
type Translator struct {
	now func() Translation
	dec wire.Decoder
	to  []place
	by  Translation
}

// A place is where a port stands in a message, and what it becomes.
type place struct {
	at   int // from the signature
	port uint16
}

// NewTranslator returns a Translator that asks for each message which translation is due.
func NewTranslator(now func() Translation) *Translator {
	t := &Translator{now: now}
	t.dec.Options.NoMessageID = true
	t.dec.Visitor = t.see
	return t
}

// Stream returns the stream of a connection on which the messages are translated, and not checked.
func (t *Translator) Stream() *Stream {
	return &Stream{treat: func(b []byte) *Violation {
		t.message(b)
		return nil
	}}
}

// Datagram translates a datagram.
func (t *Translator) Datagram(b []byte) {
	if isSystem(b) && whole(b) == nil {
		t.message(b)
	}
}

// message translates a system message, or the header of another one.
func (t *Translator) message(b []byte) {
	t.by, t.to = t.now(), t.to[:0]
	if !t.by.Changes() {
		return
	}
	t.address(4-wire.SPHeaderSize, b[4:], false)
	if isSystem(b) {
		if _, _, err := t.dec.DecodeMessage(b[wire.SPHeaderSize:]); err != nil {
			t.to = t.to[:min(1, len(t.to))] // what was told up to there may lie in other parts
		}
	}
	for _, p := range t.to {
		binary.BigEndian.PutUint16(b[wire.SPHeaderSize+p.at:], p.port)
	}
}

// see is shown the fields of a message.
func (t *Translator) see(f *wire.Field) {
	if f.Kind == wire.KindSockAddr {
		t.address(f.Offset, f.Raw, isDatagram(f))
	}
}

// address notes what becomes of an address that stands somewhere in a message.
func (t *Translator) address(at int, raw []byte, datagram bool) {
	a := wire.ParseSockAddr(raw)
	if port := t.by.Port(a.Port, datagram); here(a) && port != a.Port {
		t.to = append(t.to, place{at + 2, port})
	}
}
