package dpsp

import (
	"net/netip"
	"slices"
	"time"

	"dplay4/wire"
)

// An outgoing message goes to one machine in acknowledged fragments, one at a time (3.1.4.18).
type outgoing struct {
	id       wire.GUID
	to       netip.AddrPort
	message  []byte // from its signature, or its ids
	step     int    // octets a fragment
	index    int    // of the fragment that is out
	sends    int    // of that fragment
	first    time.Duration
	last     time.Duration // when it was sent last
	deadline time.Duration
	timer    time.Duration
}

// The packetize timer (3.1.2.4, 3.1.6.1).
const (
	packetFirst   = 900 * time.Millisecond
	packetLeast   = 37500 * time.Microsecond
	packetSends   = 16
	packetGiveUp  = 60 * time.Second
	discardParts  = 15 * time.Second // unacknowledged fragments that stopped coming (2.2.41)
	maxOutgoing   = 1024             // fragmented messages on their way at a time
	maxParts      = 256              // fragmented messages being received at a time
	maxPartsEach  = 16               // from one machine
	maxComplete   = 256              // messages that are remembered as complete
	maxPartOctets = 16 << 20         // their octets together
)

// sendLarge sends a message in fragments: PACKET without guarantee, PACKET2_DATA with.
func (e *Engine) sendLarge(to []*peer, m wire.Message, guaranteed bool) error {
	m = wrapped(m, true) // what is put together is told apart by its first octets
	message, err := e.bare(m)
	if err != nil {
		e.drop(origin{}, m.Command().String(), LimitReached, "not sent: "+err.Error())
		return nil
	}
	if guaranteed && len(e.largeIDs)+len(to) > maxOutgoing {
		return ErrBusy
	}
	const overhead = wire.SPHeaderSize + wire.PacketFixed
	for _, p := range to {
		if guaranteed {
			e.startLarge(p.stream, message, e.cfg.MaxStream-overhead)
			continue
		}
		id, step := e.guid(), e.cfg.MaxDatagram-overhead
		for i := 0; i*step < len(message); i++ {
			e.send(UDP, p.datagram, &wire.Packet{
				ID: id, Index: uint32(i), Offset: uint32(i * step), Total: pieces(len(message), step), MessageSize: uint32(len(message)),
				Data: wire.Inner{Octets: message[i*step : min((i+1)*step, len(message))]},
			})
		}
	}
	return nil
}

// bare encodes a message without an SP header, as fragments carry it.
func (e *Engine) bare(m wire.Message) ([]byte, error) {
	if game, ok := m.(*wire.PlayerMessage); ok {
		return wire.AppendPlayerMessage(nil, game)
	}
	return wire.AppendMessage(nil, e.cfg.Dialect, m)
}

func pieces(n, step int) uint32 { return uint32((n + step - 1) / step) }

func (e *Engine) startLarge(to netip.AddrPort, message []byte, step int) {
	w := &outgoing{id: e.guid(), to: to, message: message, step: step, timer: packetFirst}
	e.large[w.id] = w
	e.largeIDs = append(e.largeIDs, w.id)
	e.sendFragment(w)
}

// sendFragment sends the fragment that is due, for the first time or again.
func (e *Engine) sendFragment(w *outgoing) {
	if w.sends == 0 {
		w.first = e.now
	}
	w.sends++
	w.last, w.deadline = e.now, e.now+w.timer
	at := w.index * w.step
	e.sendTCP(w.to, &wire.Packet2Data{
		ID: w.id, Index: uint32(w.index), Offset: uint32(at), Total: pieces(len(w.message), w.step), MessageSize: uint32(len(w.message)),
		Data: wire.Inner{Octets: w.message[at:min(at+w.step, len(w.message))]},
	})
}

// packet2Ack takes an acknowledgement, and sends the next fragment.
func (e *Engine) packet2Ack(o origin, m *wire.Packet2Ack) {
	w, p := e.large[m.ID], e.peerOf(o)
	if p == nil {
		e.drop(o, "PACKET2_ACK", NotMember, "its sender is not in the session")
		return
	}
	if w == nil || int(m.Index) != w.index || w.to != p.stream {
		return // a redundant one is to be ignored (3.1.5.29)
	}
	if w.sends == 1 { // of a fragment that was sent again it is not clear which one was acknowledged
		w.timer = max(packetLeast, (e.now-w.last)*3/2)
	}
	w.index++
	w.sends = 0
	if w.index*w.step >= len(w.message) {
		e.endLarge(w)
		return
	}
	e.sendFragment(w)
}

func (e *Engine) endLarge(w *outgoing) {
	delete(e.large, w.id)
	e.largeIDs = slices.DeleteFunc(e.largeIDs, func(id wire.GUID) bool { return id == w.id })
}

// packetTimers resends fragments, and gives up messages whose fragments nobody acknowledges.
func (e *Engine) packetTimers() {
	for _, id := range slices.Clone(e.largeIDs) {
		w := e.large[id]
		switch {
		case w.deadline > e.now:
		case w.sends >= packetSends && e.now-w.first >= packetGiveUp:
			e.drop(origin{from: w.to}, "PACKET2_DATA", LimitReached, "a large message was given up: nobody acknowledges it")
			e.endLarge(w)
		default:
			e.sendFragment(w)
		}
	}
	e.parts.expire(e.now)
}

// forgetFragments drops what is on its way to or from a machine that is gone.
func (e *Engine) forgetFragments(m *peer) {
	for _, id := range slices.Clone(e.largeIDs) {
		if w := e.large[id]; w.to == m.stream {
			e.endLarge(w)
		}
	}
	e.parts.drop(func(p *part) bool { return p.from == m.stream || p.from == m.alias })
}
